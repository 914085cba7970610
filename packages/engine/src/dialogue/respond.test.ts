import type { CustomTool, Tool } from '@parley/contract/tools'
import { describe, expect, test } from 'vitest'
import type { HttpToolOutcome } from '../ports.ts'
import {
  callTools,
  createHttpOutcome,
  createManualClock,
  createScriptedHttpTools,
  createScriptedModel,
  failWith,
  flushPromises,
  joinStreamedText,
  playTurn,
  replyWith,
  runScenario,
  type ScriptedStep,
  selectEvents,
  startScenario,
} from '../testing/index.ts'

const weather: CustomTool = {
  type: 'custom',
  name: 'weather',
  url: 'https://example.com/{{region}}',
  headers: { 'x-key': '{{key}}' },
  query_params: { zone: '{{zone | none}}' },
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  response_variables: { temperature: '$.now.temperature', sky: 'now.sky' },
}
const book: CustomTool = {
  type: 'custom',
  name: 'book',
  url: 'https://example.com/book',
  max_retry: 2,
  timeout_ms: 9_000,
}
const hangUp: Tool = { type: 'end_call', name: 'hang_up' }
const swap: Tool = { type: 'press_digit', name: 'press' }
const tools: readonly Tool[] = [weather, book, hangUp, swap]

const withText = (text: string, step: ScriptedStep): ScriptedStep => ({
  ...step,
  events: [{ type: 'text-delta', text }, ...step.events],
})

describe('a simple turn', () => {
  test('sends system prompt, history and input in order and ends with the state', async () => {
    const { events, requests, text } = await playTurn([replyWith('Hel', 'lo')], {
      engine: { generalPrompt: 'You are {{name}}.', temperature: 0, defaultVariables: { name: 'Parley' } },
      conversation: {
        history: [
          { role: 'assistant', content: 'Welcome', toolCalls: [] },
          { role: 'system', content: 'note' },
        ],
      },
    })
    expect(requests[0]).toMatchObject({ temperature: 0, toolChoice: 'auto', tools: [] })
    expect(requests[0]?.messages).toEqual([
      { role: 'system', content: 'You are Parley.' },
      { role: 'assistant', content: 'Welcome', toolCalls: [] },
      { role: 'system', content: 'note' },
      { role: 'user', content: 'hello' },
    ])
    expect(text).toBe('Hello')
    expect(events.slice(-2)).toEqual([
      { type: 'message-end', content: 'Hello', toolCalls: [], incomplete: false },
      {
        type: 'turn-end',
        outcome: 'completed',
        state: { schema: 1, engine: { kind: 'llm', id: 'llm_1', version: 1 }, collectedVariables: {} },
      },
    ])
  })

  test("replaces a blank prompt and keeps the model's temperature", async () => {
    const { requests } = await playTurn([replyWith('x')], { engine: { generalPrompt: ' ' } })
    expect(requests[0]?.messages[0]?.content).toMatch(/helpful assistant/)
    expect(requests[0]).not.toHaveProperty('temperature')
  })

  test('omits history beyond the context window and reports it', async () => {
    const main = createScriptedModel([replyWith('x')], { contextTokens: 100 })
    const old = { role: 'user', content: 'a'.repeat(1_000) } as const
    const events = await runScenario({ models: { main }, conversation: { history: [old, old] } })
    expect(main.requests[0]?.messages).toHaveLength(2)
    expect(selectEvents(events, 'explanation')).toEqual([
      { type: 'explanation', explanation: { type: 'history-trimmed', droppedTurns: 2 } },
    ])
  })
})

describe('tools', () => {
  test('tools of every channel are offered with an object schema', async () => {
    const { requests } = await playTurn([replyWith('x')], { engine: { tools } })
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['weather', 'book', 'hang_up', 'press'])
    for (const tool of requests[0]?.tools ?? []) expect(tool.parameters).toHaveProperty('type', 'object')
  })

  test('messages are stored before their calls are sent; results become variables', async () => {
    const http = createScriptedHttpTools({
      weather: [createHttpOutcome({ now: { temperature: 21, sky: { clouds: 0 } } })],
    })
    const main = createScriptedModel([
      withText('Let me see.', callTools(['weather', { city: 'Rome' }])),
      replyWith('21 degrees'),
    ])
    const sentAtMessageEnd: number[] = []
    const scenario = startScenario(
      {
        models: { main },
        http,
        engine: { tools, generalPrompt: 'Known: {{temperature}}' },
        conversation: { variables: { system: {}, given: { region: 'eu', key: 'a\r\nb: c' }, override: {} } },
      },
      async (event) => {
        if (event.type !== 'message-end') return
        await flushPromises()
        sentAtMessageEnd.push(http.calls.length)
      },
    )
    await scenario.time.advance(0)
    await scenario.time.advance(0)
    main.assertConsumed()
    http.assertConsumed()
    expect(sentAtMessageEnd).toEqual([0, 1])
    expect(http.calls[0]).toMatchObject({
      toolCallId: 'tool_call_1',
      method: 'POST',
      url: 'https://example.com/eu',
      headers: { 'x-key': 'a b: c' },
      queryParams: { zone: 'none' },
      args: { city: 'Rome' },
      argsAtRoot: false,
      conversation: { chat: { chat_id: 'chat_1' } },
      timeoutMs: 120_000,
      maxRetry: 0,
    })
    expect(scenario.events.map(({ type }) => type)).toEqual([
      'text-delta',
      'message-end',
      'variables-collected',
      'tool-result',
      'text-delta',
      'message-end',
      'turn-end',
    ])
    const second = main.requests[1]?.messages ?? []
    expect(second[0]?.content).toBe('Known: 21')
    expect(second.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Let me see.', toolCalls: [{ id: 'tool_call_1', name: 'weather' }] },
      { role: 'tool', toolCallId: 'tool_call_1', content: '{"now":{"temperature":21,"sky":{"clouds":0}}}' },
    ])
    expect(scenario.events.at(-1)).toMatchObject({
      state: { collectedVariables: { temperature: '21', sky: '{"clouds":0}' } },
    })
  })

  test('calls of one step run in parallel; results keep the order of the calls', async () => {
    const time = createManualClock()
    const after = (delayMs: number, text: string) => (): Promise<HttpToolOutcome> =>
      new Promise((resolve) => time.clock.after(delayMs, () => resolve(createHttpOutcome(text))))
    const http = createScriptedHttpTools({ weather: [after(3_000, 'slow')], book: [after(1_000, 'fast')] })
    const main = createScriptedModel([callTools(['weather', { city: 'x' }], ['book', {}]), replyWith('ok')])
    const { events, isDone } = startScenario({ models: { main }, http, engine: { tools }, time })
    await time.advance(3_000)
    expect(isDone()).toBe(true)
    expect(http.calls).toHaveLength(2)
    expect(selectEvents(events, 'tool-result').map(({ content }) => content)).toEqual(['slow', 'fast'])
  })

  test('results of 2 MB and HTML are truncated to 15,000 characters for the model', async () => {
    const page = `<html>${'x'.repeat(2_000_000)}</html>`
    const http = createScriptedHttpTools({ book: [createHttpOutcome(page)] })
    const { requests, results } = await playTurn([callTools(['book', '']), replyWith('ok')], {
      http,
      engine: { tools },
    })
    const [result] = results
    expect(result?.fullContent).toBe(page)
    expect(result?.content.length).toBeLessThanOrEqual(15_000)
    expect(requests[1]?.messages.at(-1)?.content).toBe(result?.content)
  })

  test('failing tools and throwing clients are results', async () => {
    const failure = { ok: false, reason: 'http-status', status: 500, message: 'Status 500.', durationMs: 7 } as const
    const throws = (): HttpToolOutcome => {
      throw new Error('broken')
    }
    const http = createScriptedHttpTools({ book: [failure, throws] })
    const { text, results } = await playTurn([callTools(['book', {}], ['book', {}]), replyWith('sorry')], {
      http,
      engine: { tools },
    })
    expect(results).toMatchObject([
      { ok: false, durationMs: 7 },
      { ok: false, durationMs: 0 },
    ])
    expect(text).toBe('sorry')
  })

  test('unknown tools and invalid arguments are explained twice, then the model answers without tools', async () => {
    const http = createScriptedHttpTools({})
    const { events, results, explanations } = await playTurn(
      [
        callTools(['fly', {}]),
        callTools(['weather', { city: 5 }]),
        { ...replyWith('Never mind.'), expect: (request) => expect(request.toolChoice).toBe('none') },
      ],
      { http, engine: { tools } },
    )
    http.assertConsumed()
    expect(results.map(({ content }) => content)).toEqual([
      'There is no tool named "fly". Available tools: weather, book, hang_up, press.',
      'The arguments are not valid: city must be string.',
    ])
    expect(explanations).toMatchObject([{ type: 'tool-limit', steps: 2 }])
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
  })

  test('after eight steps the model has to answer, and further calls are ignored', async () => {
    const http = createScriptedHttpTools({ book: Array.from({ length: 8 }, () => createHttpOutcome('again')) })
    const steps = Array.from({ length: 8 }, () => callTools(['book', {}]))
    const { events, requests, explanations } = await playTurn(
      [...steps, withText('Enough.', callTools(['book', {}]))],
      {
        http,
        engine: { tools },
      },
    )
    http.assertConsumed()
    expect(requests.map(({ toolChoice }) => toolChoice).lastIndexOf('auto')).toBe(7)
    expect(explanations).toMatchObject([{ type: 'tool-limit', steps: 8 }])
    expect(selectEvents(events, 'message-end').at(-1)).toMatchObject({ content: 'Enough.', toolCalls: [] })
  })

  test.each<[Partial<CustomTool>, string]>([
    [{ speak_during_execution: true, execution_message_type: 'static_text' }, 'Looking, Ada.'],
    [{ speak_during_execution: true, execution_message_type: 'prompt' }, ''],
    [{ execution_message_type: 'static_text' }, ''],
  ])('%j replyWith %j while it runs', async (fields, message) => {
    const tool: CustomTool = { ...book, execution_message_description: 'Looking, {{name}}.', ...fields }
    const http = createScriptedHttpTools({ book: [createHttpOutcome('ok'), createHttpOutcome('ok')] })
    const { events } = await playTurn(
      [callTools(['book', {}]), withText('My words.', callTools(['book', {}])), replyWith('done')],
      {
        http,
        engine: { tools: [tool], defaultVariables: { name: 'Ada' } },
      },
    )
    expect(selectEvents(events, 'message-end').map(({ content }) => content)).toEqual([message, 'My words.', 'done'])
  })

  test('a turn replyWith something even if its only tool needs no answer', async () => {
    const silent = { ...book, speak_after_execution: false }
    const http = createScriptedHttpTools({ book: [createHttpOutcome('ok')] })
    const { text } = await playTurn([callTools(['book', {}]), replyWith('Booked.')], {
      http,
      engine: { tools: [silent] },
    })
    expect(text).toBe('Booked.')
  })

  test('a tool that needs no answer ends the turn after earlier text', async () => {
    const tools = [{ ...book, speak_after_execution: false }]
    const http = createScriptedHttpTools({ book: [createHttpOutcome('ok')] })
    const { events } = await playTurn([withText('Booked.', callTools(['book', {}]))], { http, engine: { tools } })
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
  })
})

describe('end_call', () => {
  const kinds = (events: readonly { type: string }[]) => events.map(({ type }) => type).slice(-4)

  test("the model's text is the closing message", async () => {
    const { events, results } = await playTurn([withText('Bye!', callTools(['hang_up', 'whatever']))], {
      engine: { tools },
    })
    expect(results).toMatchObject([{ content: 'success', ok: true }])
    expect(selectEvents(events, 'action')).toEqual([{ type: 'action', action: { type: 'end', reason: 'agent_ended' } }])
    expect(kinds(events)).toEqual(['message-end', 'tool-result', 'action', 'turn-end'])
  })

  test('a static message is said if the model is silent', async () => {
    const message = { execution_message_type: 'static_text', execution_message_description: 'So long.' } as const
    const { events } = await playTurn([callTools(['hang_up', {}])], { engine: { tools: [{ ...hangUp, ...message }] } })
    expect(selectEvents(events, 'message-end')).toMatchObject([
      { content: 'So long.', toolCalls: [{ name: 'hang_up' }] },
    ])
    expect(events.at(-2)).toMatchObject({ type: 'action' })
  })

  test.each<[string, readonly ScriptedStep[], string]>([
    ['says its text', [replyWith('Farewell.')], 'Farewell.'],
    ['ends the conversation after silence', [replyWith(''), replyWith('')], ''],
    ['ends the conversation after a failure', [failWith({ retryable: false })], ''],
  ])('requests a closing message if there is none: %s', async (_name, closing, text) => {
    const main = createScriptedModel([callTools(['hang_up', {}]), ...closing])
    const events = await runScenario({
      models: { main },
      engine: { tools },
      conversation: { fallbackMessage: 'Ask again.' },
    })
    main.assertConsumed()
    expect(main.requests[1]?.toolChoice).toBe('none')
    expect(joinStreamedText(events)).toBe(text)
    expect(events.slice(-2)).toMatchObject([{ type: 'action' }, { type: 'turn-end', outcome: 'completed' }])
  })

  test('other tools of the step run before the end', async () => {
    const http = createScriptedHttpTools({ book: [createHttpOutcome('booked')] })
    const { events, results } = await playTurn([withText('Done, bye.', callTools(['hang_up', {}], ['book', {}]))], {
      http,
      engine: { tools },
    })
    http.assertConsumed()
    expect(results.map(({ content }) => content)).toEqual(['success', 'booked'])
    expect(events.at(-2)).toMatchObject({ type: 'action' })
  })
})

test('a variable that contains braces is not rendered again', async () => {
  const { requests } = await playTurn([replyWith('x')], {
    engine: { generalPrompt: 'Note: {{note}}' },
    conversation: { variables: { system: {}, given: { note: '{{x}}', x: 'secret' }, override: {} } },
  })
  expect(requests[0]?.messages[0]?.content).toBe('Note: {{x}}')
})
