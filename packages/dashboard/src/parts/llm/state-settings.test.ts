import { describe, expect, test } from 'vitest'
import { removeState, replaceState } from './state-settings.tsx'

const createEdge = (to: string) => ({ destination_state_name: to, description: 'When it fits.' })
const llm = {
  states: [
    { name: 'hello', edges: [createEdge('order'), createEdge('hello')] },
    { name: 'order', edges: [createEdge('hello')] },
    { name: 'bye' },
  ],
  starting_state: 'hello',
}

describe('a state', () => {
  test('that is renamed keeps its transitions', () => {
    const renamedLlm = replaceState(llm, 0, { name: 'welcome', edges: [createEdge('order'), createEdge('hello')] })
    expect(renamedLlm.starting_state).toBe('welcome')
    expect(renamedLlm.states).toEqual([
      { name: 'welcome', edges: [createEdge('order'), createEdge('welcome')] },
      { name: 'order', edges: [createEdge('welcome')] },
      { name: 'bye' },
    ])
  })

  test('that is edited leaves the others unchanged', () => {
    const editedLlm = replaceState(llm, 2, { name: 'bye', state_prompt: 'Say goodbye.' })
    expect(editedLlm.states.slice(0, 2)).toEqual(llm.states.slice(0, 2))
    expect(editedLlm.states[2]).toEqual({ name: 'bye', state_prompt: 'Say goodbye.' })
  })

  test('with the name of another state keeps the transitions of that state', () => {
    const llmWithDuplicate = {
      states: [{ name: 'a', edges: [createEdge('b')] }, { name: 'b' }, { name: 'b' }],
      starting_state: 'b',
    }
    const renamedLlm = replaceState(llmWithDuplicate, 2, { name: 'c' })
    expect(renamedLlm).toEqual({
      states: [{ name: 'a', edges: [createEdge('b')] }, { name: 'b' }, { name: 'c' }],
      starting_state: 'b',
    })
    expect(removeState(llmWithDuplicate, 2)).toEqual({
      states: llmWithDuplicate.states.slice(0, 2),
      starting_state: 'b',
    })
  })

  test('that is removed also loses the transitions to it', () => {
    expect(removeState(llm, 0)).toEqual({
      states: [{ name: 'order', edges: [] }, { name: 'bye' }],
      starting_state: null,
    })
  })
})
