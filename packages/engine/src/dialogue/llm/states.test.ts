import type { LlmState } from '@parley/contract/llm-state'
import { describe, expect, test } from 'vitest'
import { joinStreamedText, runScenario, type ScenarioOptions, selectEvents } from '../../testing/dialogue-scenario.ts'
import { callTools, createScriptedModel, replyWith, type ScriptedStep } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools } from '../../testing/scripted-ports.ts'
import type { DialogueState } from '../conversation.ts'

const BOOK = { type: 'custom', name: 'book', url: 'https://example.com/book' } as const
const CHECK = { type: 'custom', name: 'check', url: 'https://example.com/check' } as const

const STATES: readonly LlmState[] = [
  {
    name: 'greeting',
    state_prompt: 'Find out what the guest wants.',
    edges: [
      {
        destination_state_name: 'booking',
        description: 'The guest wants a table.',
        parameters: { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] },
      },
    ],
  },
  { name: 'booking', state_prompt: 'Book for {{guests}} guests.', tools: [BOOK], edges: [] },
]

function createScenario(steps: readonly ScriptedStep[], options: ScenarioOptions = {}) {
  const main = createScriptedModel(steps)
  const engine = { generalPrompt: 'You are Ada.', tools: [CHECK], states: STATES, startingState: 'greeting' }
  return { main, options: { ...options, models: { main }, engine: { ...engine, ...options.engine } } }
}

const toBooking = callTools(['transition_to_booking', { guests: 4 }])

describe('states', () => {
  test('the first state adds its prompt and transitions to the general prompt and tools', async () => {
    const { main, options } = createScenario([replyWith('Hello.')])
    await runScenario(options)
    const [request] = main.requests
    expect(request?.messages[0]?.content).toBe('You are Ada.\n\nFind out what the guest wants.')
    expect(request?.tools.map(({ name }) => name)).toEqual(['check', 'transition_to_booking'])
  })

  test('a transition switches prompt and tools in the same turn and keeps its arguments', async () => {
    const { main, options } = createScenario([toBooking, replyWith('For four, when?')])
    const events = await runScenario(options)
    expect(main.requests[1]?.messages[0]?.content).toBe('You are Ada.\n\nBook for 4 guests.')
    expect(main.requests[1]?.tools.map(({ name }) => name)).toEqual(['check', 'book'])
    expect(selectEvents(events, 'state-transition')).toMatchObject([
      { from: 'greeting', to: 'booking', state: { stateName: 'booking', collectedVariables: { guests: '4' } } },
    ])
    expect(joinStreamedText(events)).toBe('For four, when?')
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', state: { stateName: 'booking' } })
  })

  test('the next turn continues in the new state', async () => {
    const state: DialogueState = {
      schema: 1,
      engine: { kind: 'llm', id: 'llm_1', version: 1 },
      collectedVariables: { guests: '4' },
      stateName: 'booking',
    }
    const { main, options } = createScenario([replyWith('Done.')], { conversation: { state } })
    const events = await runScenario(options)
    expect(main.requests[0]?.messages[0]?.content).toContain('Book for 4 guests.')
    expect(events.at(-1)).toMatchObject({ state })
  })

  test('other tools of the step finish before the transition', async () => {
    const http = createScriptedHttpTools({ check: [createHttpOutcome({ free: true })] })
    const step = callTools(['check', {}], ['transition_to_booking', { guests: 2 }])
    const { options } = createScenario([step, replyWith('Good.')], { http })
    const types = (await runScenario(options)).map(({ type }) => type)
    expect(types.filter((type) => type === 'tool-result' || type === 'state-transition')).toEqual([
      'tool-result',
      'tool-result',
      'state-transition',
    ])
  })

  test('a transition with invalid arguments is refused with a reason', async () => {
    const { options } = createScenario([callTools(['transition_to_booking', {}]), replyWith('How many are you?')])
    const events = await runScenario(options)
    expect(selectEvents(events, 'state-transition')).toEqual([])
    expect(selectEvents(events, 'tool-result')).toMatchObject([{ ok: false }])
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
  })

  test('endless transitions end with an answer', async () => {
    const back = { destination_state_name: 'b', description: 'Always.' }
    const states: LlmState[] = [
      { name: 'a', edges: [back] },
      { name: 'b', edges: [{ ...back, destination_state_name: 'a' }] },
    ]
    const round = Array.from({ length: 8 }, (_unused, step) =>
      callTools([step % 2 === 0 ? 'transition_to_b' : 'transition_to_a', {}]),
    )
    const { main, options } = createScenario([...round, replyWith('Enough.')], {
      engine: { states, startingState: 'a', tools: [] },
    })
    const events = await runScenario(options)
    main.assertConsumed()
    expect(joinStreamedText(events)).toBe('Enough.')
  })

  test("a turn resumes in the new state after a transition's result", async () => {
    const { main, options } = createScenario([replyWith('For four, when?')], {
      input: { type: 'continue' },
      conversation: {
        history: [
          { role: 'user', content: 'A table for four.' },
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'c1', name: 'transition_to_booking', argumentsText: '{"guests":4}' }],
          },
          { role: 'tool', toolCallId: 'c1', name: 'transition_to_booking', content: 'success' },
        ],
      },
    })
    const events = await runScenario(options)
    expect(main.requests[0]?.tools.map(({ name }) => name)).toEqual(['check', 'book'])
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', state: { stateName: 'booking' } })
  })
})
