import type { ModelEvent } from '@parley/engine/ports'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../../../testing/model-server/model-server.ts'
import { renderAnswer } from '../../../../../testing/model-server/rendering.ts'
import type { ModelReply, ScriptedAnswer, Wire } from '../../../../../testing/model-server/reply.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import {
  buildRequest,
  ChunkDispatcher,
  collect,
  createTestClock,
  createTestModel,
  joinTexts,
  WIRES,
} from './model-test-kit.ts'

const http = createModelDispatcher()
const clock = createTestClock()
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})
afterAll(async () => {
  await http.close()
  await server.close()
})

async function getEvents(wire: Wire, reply: ModelReply): Promise<ModelEvent[]> {
  server.script(reply)
  return await collect(createTestModel(wire, { http, clock, url: server.url }).stream(buildRequest()))
}

describe.each(WIRES)('responses in the %s format', (wire) => {
  test('streams text word by word, followed by the reason and the usage', async () => {
    const usage = { inputTokens: 100, outputTokens: 2, cachedInputTokens: 64 }
    expect(await getEvents(wire, { text: 'Hello there', usage })).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' there' },
      { type: 'finish', reason: 'stop', usage },
    ])
  })

  test('reports null usage if the provider reports none', async () => {
    expect((await getEvents(wire, { text: 'Hi', usage: null })).at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: null,
    })
  })

  test('emits complete tool calls in order after the text and keeps invalid arguments', async () => {
    const events = await getEvents(wire, {
      text: 'One moment.',
      toolCalls: [
        { id: 'a1', name: 'look_up', arguments: '{"name":"Ада Ł"}', splits: [1, 9, 10, 11] },
        { id: 'a2', name: 'no_such_tool', arguments: '{"x": ', splits: [2] },
        { id: 'a3', name: 'no_arguments', arguments: '' },
      ],
    })
    expect(events.slice(2)).toEqual([
      { type: 'tool-call', call: { id: 'a1', name: 'look_up', argumentsText: '{"name":"Ада Ł"}' } },
      { type: 'tool-call', call: { id: 'a2', name: 'no_such_tool', argumentsText: '{"x": ' } },
      { type: 'tool-call', call: { id: 'a3', name: 'no_arguments', argumentsText: '{}' } },
      { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 0 } },
    ])
  })

  test('replaces blank and repeated tool call IDs', async () => {
    const call = { name: 'f', arguments: '{}' }
    const events = await getEvents(wire, {
      toolCalls: [
        { ...call, id: '' },
        { ...call, id: 'call_2' },
        { ...call, id: 'call_2' },
      ],
    })
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))
    expect(ids).toEqual(['call_0', 'call_2', 'call_2_'])
  })

  test('omits a tool call that the length limit truncated', async () => {
    const toolCalls = [
      { id: 'a1', name: 'f', arguments: '{"whole":1}' },
      { id: 'a2', name: 'f', arguments: '{"cut' },
    ]
    const events = await getEvents(wire, { toolCalls, finish: 'length', usage: null })
    expect(events).toEqual([
      { type: 'tool-call', call: { id: 'a1', name: 'f', argumentsText: '{"whole":1}' } },
      { type: 'finish', reason: 'length', usage: null },
    ])
  })

  test('emits the text of a refusal', async () => {
    const events = await getEvents(wire, { text: 'I cannot help with that.', refusal: true })
    expect(joinTexts(events)).toBe('I cannot help with that.')
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'refusal' })
  })

  test('treats a filtered response as a refusal', async () => {
    expect((await getEvents(wire, { text: 'Well', finish: 'refusal' })).at(-1)).toMatchObject({ reason: 'refusal' })
  })

  test('accepts blank and empty responses', async () => {
    expect(joinTexts(await getEvents(wire, { text: ' \n ' }))).toBe(' \n ')
    expect(await getEvents(wire, { text: '', usage: null })).toEqual([{ type: 'finish', reason: 'stop', usage: null }])
  })

  test('ignores comments and thinking', async () => {
    const events = await getEvents(wire, { text: 'So be it', keepAliveComments: true, thinking: 'Hmm, "data:" ...' })
    expect(joinTexts(events)).toBe('So be it')
    expect(events).toHaveLength(4)
  })

  test('accepts a response without an end mark if its reason was sent', async () => {
    const events = await getEvents(wire, { text: 'All said', ending: 'no-done' })
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', usage: { outputTokens: 2 } })
  })

  test('reuses sockets between turns', async () => {
    await using modelServer = await startModelServer()
    const ownHttp = createModelDispatcher()
    const model = createTestModel(wire, { http: ownHttp, clock, url: modelServer.url })
    for (let turn = 0; turn < 10; turn += 1) await collect(model.stream(buildRequest()))
    // A turn can start before the pool has noticed that the previous turn ended.
    expect(modelServer.acceptedConnections).toBeLessThanOrEqual(2)
    await ownHttp.close()
  })

  test('does not mix fifty concurrent streams', async () => {
    const model = createTestModel(wire, { http, clock, url: server.url })
    const askModel = (index: number): Promise<ModelEvent[]> =>
      collect(model.stream(buildRequest({ messages: [{ role: 'user', content: `number ${index} of fifty` }] })))
    for (let round = 0; round < 2; round += 1) {
      const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => askModel(index)))
      expect(responses.map(joinTexts)).toEqual(responses.map((_, index) => `You said: number ${index} of fifty.`))
    }
    expect(clock.pendingTimers).toBe(0)
  })
})

describe.each(WIRES)('the %s format split into chunks', (wire) => {
  const reply: ScriptedAnswer = {
    text: 'Grüße, 世界! 👩‍👩‍👧 naïve “quotes”\n\ndata: [DONE] {"x":1}',
    keepAliveComments: true,
    toolCalls: [{ id: 'a1', name: 'book', arguments: '{"who":"Zoë 😀","n":[1,2,{"a":"\\u00e9"}]}' }],
  }

  async function getChunkedEvents(chunks: readonly Buffer[]): Promise<ModelEvent[]> {
    const model = createTestModel(wire, { http: new ChunkDispatcher(chunks), clock, url: 'http://model.test' })
    return await collect(model.stream(buildRequest()))
  }
  const splitBytes = (bytes: Buffer, positions: readonly number[]): Buffer[] => {
    const edges = [0, ...[...positions].sort((left, right) => left - right), bytes.length]
    return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
  }

  test('accepts single bytes, with LF or CRLF', async () => {
    const bytes = renderAnswer(wire, reply, { stream_options: { include_usage: true } })
    const expectedEvents = await getChunkedEvents([bytes])
    expect(joinTexts(expectedEvents)).toBe(reply.text)
    expect(await getChunkedEvents(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expectedEvents)
    const withCrLf = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'))
    expect(await getChunkedEvents(Array.from(withCrLf, (byte) => Buffer.from([byte])))).toEqual(expectedEvents)
  })

  test('returns the same events for a split at any position', async () => {
    const bytes = renderAnswer(wire, { text: 'Zoë 😀', toolCalls: reply.toolCalls ?? [] }, {})
    const expectedEvents = await getChunkedEvents([bytes])
    for (let position = 0; position <= bytes.length; position += 1) {
      expect(await getChunkedEvents(splitBytes(bytes, [position]))).toEqual(expectedEvents)
    }
  })

  test('returns the same tool calls for any split of arguments and bytes', async () => {
    const positions = fc.array(fc.nat(4_000), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.string({ unit: 'grapheme' }),
        positions,
        positions,
        async (json, text, splits, cuts) => {
          const toolCalls = [
            { id: 'a1', name: 'first', arguments: json, splits },
            { id: 'a2', name: 'second', arguments: '{"a":1}', splits: [3] },
          ]
          const bytes = renderAnswer(wire, { text, toolCalls }, {})
          const events = await getChunkedEvents(
            splitBytes(
              bytes,
              cuts.map((position) => position % bytes.length),
            ),
          )
          expect(joinTexts(events)).toBe(text)
          const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
          expect(calls).toEqual([
            { id: 'a1', name: 'first', argumentsText: json },
            { id: 'a2', name: 'second', argumentsText: '{"a":1}' },
          ])
          expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
        },
      ),
      { numRuns: 100 },
    )
  })

  test('returns exactly one closing event for any bytes', async () => {
    const values = fc.oneof(fc.json(), fc.string(), fc.constantFrom('[DONE]', '{"choices":[null]}', '{"type":"error"}'))
    await fc.assert(
      fc.asyncProperty(fc.array(values, { maxLength: 8 }), async (lines) => {
        const events = await getChunkedEvents(lines.map((line) => Buffer.from(`data: ${line}\n\n`)))
        const closingEvents = events.filter((event) => event.type === 'finish' || event.type === 'error')
        expect(closingEvents).toHaveLength(1)
        expect(events.at(-1)).toBe(closingEvents[0])
      }),
      { numRuns: 300 },
    )
  })
})

/** Returns the events for `data:` lines. Objects are sent as JSON. */
async function readLines(wire: Wire, ...lines: readonly unknown[]): Promise<ModelEvent[]> {
  const text = lines.map((line) => `data: ${typeof line === 'string' ? line : JSON.stringify(line)}\n\n`).join('')
  const http = new ChunkDispatcher([Buffer.from(text)])
  const model = createTestModel(wire, { http, clock: createTestClock(), url: 'http://model.test' })
  return await collect(model.stream(buildRequest()))
}

const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ delta: fields, finish_reason: finish }],
})
const createFunction = (name: string, args: unknown) => ({ name, arguments: args })

describe('Chat Completions servers with deviations', () => {
  test('accepts complete calls without an index and the reason `stop`', async () => {
    const events = await readLines(
      'openai',
      delta({
        tool_calls: [
          { id: 'a', function: createFunction('one', '{"x":1}') },
          { id: 'b', function: createFunction('two', '{}') },
        ],
      }),
      delta({}, 'stop'),
      '[DONE]',
    )
    expect(events).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'one', argumentsText: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'b', name: 'two', argumentsText: '{}' } },
      { type: 'finish', reason: 'tool-calls', usage: null },
    ])
  })

  test('accepts calls that all have index 0, arguments as an object and repeated names', async () => {
    const events = await readLines(
      'openai',
      delta({ tool_calls: [{ index: 0, id: 'a', function: createFunction('one', { x: 1 }) }] }),
      delta({ tool_calls: [{ index: 0, id: 'b', function: createFunction('two', '{"y"') }] }),
      delta({ tool_calls: [{ function: createFunction('two', ':2}') }] }, 'tool_calls'),
    )
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'one', argumentsText: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'b', name: 'two', argumentsText: '{"y":2}' } },
    ])
  })

  test('orders tool calls by index', async () => {
    const events = await readLines(
      'openai',
      delta({ tool_calls: [{ index: 1, id: 'b', function: createFunction('two', '') }] }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: createFunction('one', '') }] }, 'tool_calls'),
    )
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))).toEqual(['a', 'b'])
  })

  test('ends the response at an end mark without a reason', async () => {
    expect(await readLines('openai', delta({ content: 'Hi' }), '[DONE]')).toEqual([
      { type: 'text-delta', text: 'Hi' },
      { type: 'finish', reason: 'stop', usage: null },
    ])
  })

  test('accepts an error code, an error string and an error reason', async () => {
    expect(await readLines('openai', { error: { code: 429, message: 'Slow down.' } })).toMatchObject([
      { failure: { kind: 'rate-limited', message: expect.stringContaining('Slow down.') } },
    ])
    expect(await readLines('openai', { error: 'out of memory' })).toMatchObject([{ failure: { kind: 'unavailable' } }])
    expect(await readLines('openai', delta({}, 'error'))).toMatchObject([{ failure: { kind: 'unavailable' } }])
  })

  test('ignores everything after the end', async () => {
    expect(await readLines('openai', delta({ content: 'Hi' }, 'stop'), 'garbage')).toMatchObject([
      {},
      { type: 'finish' },
    ])
    expect(
      await readLines('openai', delta({ content: 'Hi' }, 'stop'), '[DONE]', 'garbage', delta({ content: '!' })),
    ).toHaveLength(2)
  })
})

describe('additions to the Messages format', () => {
  const toolUse = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
  const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }] as const

  test('accepts complete input and ignores server-side tools and unknown events', async () => {
    const events = await readLines(
      'anthropic',
      { type: 'brand_new_event' },
      toolUse(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } },
      toolUse(1, { type: 'tool_use', id: 'a', name: 'book', input: { seats: 2 } }),
      ...end,
    )
    expect(events).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'book', argumentsText: '{"seats":2}' } },
      { type: 'finish', reason: 'tool-calls', usage: null },
    ])
  })

  test('counts cache reads and writes as input', async () => {
    const initialUsage = {
      input_tokens: 5,
      cache_read_input_tokens: 70,
      cache_creation_input_tokens: 25,
      output_tokens: 1,
    }
    const events = await readLines(
      'anthropic',
      { type: 'message_start', message: { usage: initialUsage } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    )
    expect(events).toEqual([
      { type: 'finish', reason: 'stop', usage: { inputTokens: 100, outputTokens: 9, cachedInputTokens: 70 } },
    ])
  })
})

describe.each(WIRES)('limits of the %s format', (wire) => {
  const call = (index: number, name: string, args: string): unknown =>
    wire === 'openai'
      ? delta({ tool_calls: [{ index, id: `id${index}`, function: createFunction(name, args) }] })
      : { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `id${index}`, name } }

  test('fails for a call without a name and for too many calls', async () => {
    const end = wire === 'openai' ? '[DONE]' : { type: 'message_stop' }
    expect(await readLines(wire, call(0, '', '{}'), end)).toMatchObject([
      { type: 'error', failure: { kind: 'protocol' } },
    ])
    const calls = Array.from({ length: 129 }, (_, index) => call(index, 'f', '{}'))
    expect(await readLines(wire, ...calls, end)).toMatchObject([{ type: 'error', failure: { kind: 'protocol' } }])
  })

  test('returns all events to a slow consumer', async () => {
    await using server = await startModelServer()
    const http = createModelDispatcher()
    const text = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' ')
    server.script({ text })
    const model = createTestModel(wire, { http, clock: createTestClock(), url: server.url })
    const stream = model.stream(buildRequest())
    const iterator = stream[Symbol.asyncIterator]()
    const firstResult = await iterator.next()
    // Lets the socket deliver until the client stops it.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    const remainingEvents = await collect(stream)
    expect(joinTexts(firstResult.done ? remainingEvents : [firstResult.value, ...remainingEvents])).toBe(text)
    expect(remainingEvents.at(-1)?.type).toBe('finish')
    await http.close()
  })
})
