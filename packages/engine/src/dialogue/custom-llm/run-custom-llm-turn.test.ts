import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createManualClock,
  findTurnGrammarProblem,
  flushPromises,
  joinStreamedText,
  runScenario,
  SCENARIO_DEADLINES,
  type ScenarioOptions,
  selectEvents,
  startScenario,
} from '../../testing/index.ts'
import {
  createScriptedCustomLlm,
  createServerChunks,
  createServerFailure,
  createServerReply,
  createServerToolCall,
  type ScriptedServerEvent,
} from '../../testing/scripted-model.ts'
import type { CustomLlmEngine, DialogueEvent, HistoryMessage } from '../conversation.ts'
import { BLANK_ANSWER_MESSAGE } from '../llm/converse.ts'

const graph: CustomLlmEngine = {
  kind: 'custom-llm',
  id: null,
  version: null,
  url: 'wss://llm.example.com',
  defaultVariables: { shop: 'Corner' },
}

type Script = readonly (readonly ScriptedServerEvent[])[]

async function run(script: Script, options: ScenarioOptions = {}) {
  const time = createManualClock()
  const server = createScriptedCustomLlm(script, { clock: time.clock })
  const events = await runScenario({ graph, time, ports: { customLlm: server.client }, ...options })
  server.assertConsumed()
  expect(findTurnGrammarProblem(events)).toBeNull()
  return { events, requests: server.requests }
}

function listExplanations(events: readonly DialogueEvent[]): string[] {
  return selectEvents(events, 'explanation').map(({ explanation }) => explanation.type)
}

const createToolResult = (toolCallId: string, content: string): ScriptedServerEvent => ({
  type: 'tool-result',
  toolCallId,
  content,
})

describe("a server's answer", () => {
  test('streams as it arrives', async () => {
    const { events } = await run([createServerReply('Hel', 'lo ')])
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo ' },
      { type: 'message-end', content: 'Hello ', toolCalls: [], incomplete: false },
      {
        type: 'turn-end',
        outcome: 'completed',
        state: { schema: 1, engine: { kind: 'custom-llm', id: null, version: null }, collectedVariables: {} },
      },
    ])
  })

  test('is requested with the transcript, conversation details and deadlines', async () => {
    const history: readonly HistoryMessage[] = [
      { role: 'assistant', content: 'Welcome', toolCalls: [] },
      { role: 'system', content: 'noted by somebody' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: ' ', toolCalls: [{ id: 'tool_call_1', name: 'look', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'tool_call_1', name: 'look', content: 'found' },
      { role: 'assistant', content: 'Yes?', toolCalls: [] },
    ]
    const { requests } = await run([createServerReply('Hello')], {
      conversation: {
        history,
        conversationId: 'chat_7',
        toolContext: { chat: { chat_id: 'chat_7', metadata: { a: 1 } } },
        variables: { system: {}, given: { name: 'Ada' }, override: {} },
      },
    })
    expect(requests).toMatchObject([
      {
        conversationId: 'chat_7',
        url: 'wss://llm.example.com',
        transcript: [
          { role: 'agent', content: 'Welcome' },
          { role: 'user', content: 'Hi' },
          { role: 'agent', content: 'Yes?' },
          { role: 'user', content: 'hello' },
        ],
        conversation: { chat_id: 'chat_7', metadata: { a: 1 }, dynamic_variables: { name: 'Ada', shop: 'Corner' } },
        deadlines: SCENARIO_DEADLINES,
      },
    ])
  })

  test('limits the transcript of a long conversation', async () => {
    const history = Array.from({ length: 40 }, (_, index): readonly HistoryMessage[] => [
      { role: 'user', content: `${index}`.padEnd(20_000, '.') },
      { role: 'assistant', content: 'Yes', toolCalls: [] },
    ]).flat()
    const { events, requests } = await run([createServerReply('Hello')], { conversation: { history } })
    expect(listExplanations(events)).toEqual(['history-trimmed'])
    expect(requests[0]?.transcript.at(-1)?.content).toBe('hello')
    expect(JSON.stringify(requests[0]?.transcript).length).toBeLessThan(600_000)
  })

  test('ends the conversation on request, with or without text', async () => {
    const end = { type: 'complete', endCall: true } as const
    const { events } = await run([[...createServerChunks('Bye'), end]])
    expect(joinStreamedText(events)).toBe('Bye')
    expect(events.at(-2)).toEqual({ type: 'action', action: { type: 'end', reason: 'agent_ended' } })
    const silent = await run([[end]])
    expect(silent.events.map(({ type }) => type)).toEqual(['action', 'turn-end'])
  })
})

describe("a server's tools", () => {
  test("are recorded in order with the engine's ids; later text is a separate message", async () => {
    const { events } = await run([
      [
        ...createServerChunks('One moment.'),
        createServerToolCall('a', 'look_up', '{"id":1}'),
        createServerToolCall('a', 'wait'),
        createToolResult('a', 'found'),
        ...createServerChunks(' Nearly.'),
        createToolResult('a', ' '),
        createToolResult('b', 'nobody asked'),
        ...createServerReply('It is on its way.'),
      ],
    ])
    expect(joinStreamedText(events)).toBe('One moment. Nearly.It is on its way.')
    const calls = [
      { id: 'tool_call_1', name: 'look_up', argumentsText: '{"id":1}' },
      { id: 'tool_call_2', name: 'wait', argumentsText: '{}' },
    ]
    expect(events.filter(({ type }) => type !== 'text-delta')).toMatchObject([
      { type: 'message-end', content: 'One moment. Nearly.', toolCalls: calls },
      { type: 'tool-result', toolCallId: 'tool_call_1', name: 'look_up', content: 'found', ok: true },
      {
        type: 'tool-result',
        toolCallId: 'tool_call_2',
        name: 'wait',
        content: 'Done, nothing was returned.',
        ok: true,
      },
      { type: 'message-end', content: 'It is on its way.', toolCalls: [] },
      { type: 'turn-end', outcome: 'completed' },
    ])
  })

  test('are recorded without a result', async () => {
    const { events } = await run([[createServerToolCall('a', 'pay'), ...createServerReply('Paid.')]])
    expect(events.slice(1)).toMatchObject([
      { type: 'message-end', content: 'Paid.', toolCalls: [{ name: 'pay' }] },
      { type: 'tool-result', content: 'The server returned no result.', ok: false },
      { type: 'turn-end', outcome: 'completed' },
    ])
  })

  test('have long results truncated for models and kept whole', async () => {
    const { events } = await run([
      [createServerToolCall('a', 'read'), createToolResult('a', 'x'.repeat(20_000)), ...createServerReply('Read.')],
    ])
    const [result] = selectEvents(events, 'tool-result')
    expect(result?.fullContent).toHaveLength(20_000)
    expect(result?.content.length).toBeLessThanOrEqual(15_000)
  })

  test.each<[string, readonly ScriptedServerEvent[]]>([
    ['a blank answer', [{ type: 'complete', endCall: false }]],
    ['a failure', createServerFailure()],
  ])('are not run again: %s after them leads to the fallback message', async (_name, after) => {
    const options = { conversation: { fallbackMessage: 'Sorry.' } }
    const { events } = await run([[createServerToolCall('a', 'pay'), createToolResult('a', 'paid'), ...after]], options)
    expect(joinStreamedText(events)).toBe('Sorry.')
    expect(selectEvents(events, 'message-end')).toMatchObject([{ toolCalls: [{ name: 'pay' }] }, { content: 'Sorry.' }])
  })
})

describe('a failing server', () => {
  test('is retried before its first word', async () => {
    const { events } = await run([createServerFailure(), createServerReply('Hello')])
    expect(joinStreamedText(events)).toBe('Hello')
    expect(listExplanations(events)).toEqual(['model-retry'])
  })

  test.each<[string, Script, number]>([
    ['twice', [createServerFailure(), createServerFailure()], 1],
    ['without a retry', [createServerFailure({ kind: 'rejected', retryable: false })], 0],
    ['by a client that throws', [[{ type: 'throw' }]], 0],
    ['by an answer without an end', [[], createServerChunks(' ')], 1],
  ])('%s: says the fallback message or fails without one', async (_name, script, retries) => {
    const said = await run(script, {
      conversation: {
        fallbackMessage: 'Sorry {{name}}.',
        variables: { system: {}, given: { name: 'Ada' }, override: {} },
        fallbackModels: ['offline'],
      },
    })
    expect(joinStreamedText(said.events)).toBe('Sorry Ada.')
    expect(listExplanations(said.events)).toEqual([...Array(retries).fill('model-retry'), 'fallback-message'])
    expect(said.events.at(-1)).toMatchObject({ outcome: 'completed' })
    const failed = await run(script)
    expect(failed.events.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'failed' })
    expect(selectEvents(failed.events, 'message-end')).toEqual([])
  })

  test('leaves an incomplete message after its first word', async () => {
    const options = { conversation: { fallbackMessage: 'unused' } }
    const { events } = await run(
      [createServerFailure({ kind: 'timeout' }, ...createServerChunks('One', ' two'))],
      options,
    )
    expect(events.slice(2)).toMatchObject([
      { type: 'message-end', content: 'One two', toolCalls: [], incomplete: true },
      { type: 'turn-end', outcome: 'failed', failure: { kind: 'timeout' } },
    ])
  })
})

describe('a blank answer', () => {
  const blank = createServerReply('', ' \n')

  test('is retried once', async () => {
    const { events } = await run([blank, createServerReply('\n', ' Hi')])
    expect(listExplanations(events)).toEqual(['blank-answer'])
    expect(selectEvents(events, 'text-delta')).toEqual([{ type: 'text-delta', text: '\n Hi' }])
  })

  test.each([
    [null, BLANK_ANSWER_MESSAGE],
    ['One moment.', 'One moment.'],
  ])('twice with the fallback message %j says %j', async (fallbackMessage, message) => {
    const { events } = await run([blank, blank], { conversation: { fallbackMessage } })
    expect(selectEvents(events, 'message-end')).toMatchObject([{ content: message, incomplete: false }])
    expect(listExplanations(events)).toEqual(['blank-answer', 'blank-answer', 'fallback-message'])
  })
})

describe('a resumed turn', () => {
  const input = { type: 'continue' } as const
  const user: HistoryMessage = { role: 'user', content: 'Hi' }
  const calls = [{ id: 'tool_call_1', name: 'look', argumentsText: '{}' }]

  test('only ends if its answer was recorded', async () => {
    const history: readonly HistoryMessage[] = [user, { role: 'assistant', content: 'Yes?', toolCalls: [] }]
    const { events } = await run([], { input, conversation: { history } })
    expect(events).toMatchObject([{ type: 'turn-end', outcome: 'completed' }])
  })

  test.each<[string, readonly HistoryMessage[]]>([
    ['nothing', []],
    ['a tool call', [{ role: 'assistant', content: '', toolCalls: calls }]],
    [
      'a result',
      [
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', toolCallId: 'tool_call_1', name: 'look', content: 'found' },
      ],
    ],
  ])('requests an answer after %s', async (_name, more) => {
    const { events, requests } = await run([createServerReply('Hello')], {
      input,
      conversation: { history: [user, ...more] },
    })
    expect(joinStreamedText(events)).toBe('Hello')
    expect(requests[0]?.transcript).toEqual([{ role: 'user', content: 'Hi' }])
  })
})

describe('cancelling', () => {
  const script: Script = [
    createServerFailure(),
    [
      ...createServerChunks('One'),
      createServerToolCall('a', 'look'),
      createToolResult('a', 'found'),
      ...createServerReply('Two', ' three'),
    ],
  ]

  test('stops cleanly at any event: only the end of the open message follows', async () => {
    for (let stop = 0; stop < 9; stop += 1) {
      let seen = 0
      const server = createScriptedCustomLlm(script)
      const scenario = startScenario({ graph, ports: { customLlm: server.client } }, () => {
        if (seen === stop) scenario.controller.abort()
        seen += 1
      })
      await scenario.time.advance(1_000)
      expect(scenario.isDone()).toBe(true)
      expect(findTurnGrammarProblem(scenario.events, true)).toBeNull()
      const after = scenario.events.slice(stop + 1).map(({ type }) => type)
      expect(after.filter((type) => type !== 'message-end' && type !== 'tool-result')).toEqual([])
      if (scenario.events[stop]?.type !== 'text-delta') continue
      expect(scenario.events.at(-1)).toMatchObject({ type: 'message-end', incomplete: true, toolCalls: [] })
    }
  })

  test('works at once while the server is silent and before the second attempt', async () => {
    for (const answer of [[{ type: 'hang' } as const], createServerFailure()]) {
      const server = createScriptedCustomLlm([answer])
      const scenario = startScenario({ graph, ports: { customLlm: server.client } })
      await scenario.time.advance(100)
      scenario.controller.abort()
      await flushPromises()
      expect(scenario.isDone()).toBe(true)
      expect(selectEvents(scenario.events, 'turn-end')).toEqual([])
      expect(scenario.time.countPendingTimers()).toBe(0)
      server.assertConsumed()
    }
  })
})

test('keeps the turn grammar and says something or fails, whatever a server streams', async () => {
  const event: fc.Arbitrary<ScriptedServerEvent> = fc.oneof(
    fc.constantFrom('', ' ', 'word', ' two').map((text) => ({ type: 'text-delta', text }) as const),
    fc.constantFrom('a', 'b').map((id) => createServerToolCall(id, 'tool')),
    fc.constantFrom('a', 'b', 'c').map((id) => createToolResult(id, 'result')),
    fc.integer({ min: 0, max: 9_000 }).map((delayMs) => ({ type: 'delay', delayMs }) as const),
    fc.boolean().map((endCall) => ({ type: 'complete', endCall }) as const),
    fc.boolean().map((retryable) => createServerFailure({ retryable })[0] ?? { type: 'throw' as const }),
    fc.constant({ type: 'throw' } as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 3 }), async (script) => {
      const time = createManualClock()
      const server = createScriptedCustomLlm(script, { clock: time.clock })
      const events = await runScenario({ graph, time, ports: { customLlm: server.client } })
      expect(findTurnGrammarProblem(events)).toBeNull()
      expect(server.requests.length).toBeLessThanOrEqual(3)
      const ended = selectEvents(events, 'action').length > 0
      const failed = events.some((one) => one.type === 'turn-end' && one.outcome === 'failed')
      expect(joinStreamedText(events).trim() !== '' || ended || failed).toBe(true)
    }),
    { numRuns: 300 },
  )
})
