import { describe, expect, test } from 'vitest'
import {
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  listTransitions,
  storeTurn,
} from '../testing/flow-scenario.ts'
import { createScriptedModel, joinStreamedText, playTurn, replyWith, runScenario } from '../testing/index.ts'
import { UNPROMPTED_INSTRUCTIONS } from './unprompted.ts'

const createUnpromptedInput = (reason: keyof typeof UNPROMPTED_INSTRUCTIONS) =>
  ({ type: 'unprompted', reason }) as const

describe('a prompt', () => {
  test.each(['opening', 'reminder', 'update'] as const)('states why it speaks: %s', async (reason) => {
    const { events, requests, text } = await playTurn([replyWith('Hello?')], { input: createUnpromptedInput(reason) })
    expect(requests[0]?.messages.at(-1)).toEqual({ role: 'system', content: UNPROMPTED_INSTRUCTIONS[reason] })
    expect(text).toBe('Hello?')
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'completed' })
  })

  test('can start with the next model', async () => {
    const main = createScriptedModel([])
    const next = createScriptedModel([replyWith('Here I am.')])
    const events = await runScenario({
      models: { main, next },
      conversation: { fallbackModels: ['next'], firstModelIndex: 1 },
      input: { type: 'user-message', content: 'Hello' },
    })
    next.assertConsumed()
    expect(joinStreamedText(events)).toBe('Here I am.')
  })

  test('repeats its last model without a next one', async () => {
    const { text } = await playTurn([replyWith('Yes.')], {
      conversation: { firstModelIndex: 2 },
      input: createUnpromptedInput('reminder'),
    })
    expect(text).toBe('Yes.')
  })
})

describe('a flow', () => {
  const graph = createFlow([
    createPromptNode('welcome', 'Ask for the name.', {
      edges: [createPromptEdge('named', 'The name is known', 'bye')],
    }),
    createStaticNode('bye', 'Thank you.'),
  ])

  test('opens at its first node', async () => {
    const { events, text } = await playTurn([replyWith('Who is calling?')], {
      graph,
      input: createUnpromptedInput('opening'),
    })
    expect(listTransitions(events)).toEqual(['>welcome'])
    expect(text).toBe('Who is calling?')
  })

  test('reminds at its current node without routing', async () => {
    const main = createScriptedModel([replyWith('Who is calling?'), replyWith('Are you there?')])
    const opening = await runScenario({ models: { main }, graph, input: createUnpromptedInput('opening') })
    const memory = storeTurn({ history: [], state: null }, null, opening)
    const events = await runScenario({
      models: { main },
      graph,
      conversation: memory,
      input: createUnpromptedInput('reminder'),
    })
    main.assertConsumed()
    expect(listTransitions(events)).toEqual([])
    expect(joinStreamedText(events)).toBe('Are you there?')
  })
})
