import { describe, expect, test } from 'vitest'
import { removeState, replaceState } from './state-settings.tsx'

const edge = (to: string) => ({ destination_state_name: to, description: 'When it fits.' })
const llm = {
  states: [
    { name: 'hello', edges: [edge('order'), edge('hello')] },
    { name: 'order', edges: [edge('hello')] },
    { name: 'bye' },
  ],
  starting_state: 'hello',
}

describe('a state', () => {
  test('that is renamed keeps its transitions', () => {
    const renamed = replaceState(llm, 0, { name: 'welcome', edges: [edge('order'), edge('hello')] })
    expect(renamed.starting_state).toBe('welcome')
    expect(renamed.states).toEqual([
      { name: 'welcome', edges: [edge('order'), edge('welcome')] },
      { name: 'order', edges: [edge('welcome')] },
      { name: 'bye' },
    ])
  })

  test('that is edited leaves the others unchanged', () => {
    const edited = replaceState(llm, 2, { name: 'bye', state_prompt: 'Say goodbye.' })
    expect(edited.states.slice(0, 2)).toEqual(llm.states.slice(0, 2))
    expect(edited.states[2]).toEqual({ name: 'bye', state_prompt: 'Say goodbye.' })
  })

  test('with the name of another state keeps the transitions of that state', () => {
    const twice = { states: [{ name: 'a', edges: [edge('b')] }, { name: 'b' }, { name: 'b' }], starting_state: 'b' }
    const renamed = replaceState(twice, 2, { name: 'c' })
    expect(renamed).toEqual({
      states: [{ name: 'a', edges: [edge('b')] }, { name: 'b' }, { name: 'c' }],
      starting_state: 'b',
    })
    expect(removeState(twice, 2)).toEqual({ states: twice.states.slice(0, 2), starting_state: 'b' })
  })

  test('that is removed takes its transitions with it', () => {
    expect(removeState(llm, 0)).toEqual({
      states: [{ name: 'order', edges: [] }, { name: 'bye' }],
      starting_state: null,
    })
  })
})
