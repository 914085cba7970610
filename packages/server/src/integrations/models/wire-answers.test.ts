import type { ModelEvent } from '@parley/engine/ports'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../../../testing/model-server/model-server.ts'
import { renderAnswer } from '../../../../../testing/model-server/rendering.ts'
import type { ModelReply, ScriptedAnswer, Wire } from '../../../../../testing/model-server/reply.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import {
  ChunkDispatcher,
  collect,
  createTestClock,
  createTestModel,
  requestOf,
  textOf,
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

async function answer(wire: Wire, reply: ModelReply): Promise<ModelEvent[]> {
  server.script(reply)
  return await collect(createTestModel(wire, { http, clock, url: server.url }).stream(requestOf()))
}

describe.each(WIRES)('answers in the %s wire', (wire) => {
  test('text comes word by word, then the reason and the usage', async () => {
    const usage = { inputTokens: 100, outputTokens: 2, cachedInputTokens: 64 }
    expect(await answer(wire, { text: 'Hello there', usage })).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' there' },
      { type: 'finish', reason: 'stop', usage },
    ])
  })

  test('usage is null when the provider reports none', async () => {
    expect((await answer(wire, { text: 'Hi', usage: null })).at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: null,
    })
  })

  test('tool calls come once, whole, in order, after the text; wrong arguments are handed on as they are', async () => {
    const events = await answer(wire, {
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

  test('blank and repeated ids of tool calls are replaced', async () => {
    const call = { name: 'f', arguments: '{}' }
    const events = await answer(wire, {
      toolCalls: [
        { ...call, id: '' },
        { ...call, id: 'call_2' },
        { ...call, id: 'call_2' },
      ],
    })
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))
    expect(ids).toEqual(['call_0', 'call_2', 'call_2_'])
  })

  test('a call that the length limit cut off is left out', async () => {
    const toolCalls = [
      { id: 'a1', name: 'f', arguments: '{"whole":1}' },
      { id: 'a2', name: 'f', arguments: '{"cut' },
    ]
    const events = await answer(wire, { toolCalls, finish: 'length', usage: null })
    expect(events).toEqual([
      { type: 'tool-call', call: { id: 'a1', name: 'f', argumentsText: '{"whole":1}' } },
      { type: 'finish', reason: 'length', usage: null },
    ])
  })

  test('a refusal says what the model said, and why it ended', async () => {
    const events = await answer(wire, { text: 'I cannot help with that.', refusal: true })
    expect(textOf(events)).toBe('I cannot help with that.')
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'refusal' })
  })

  test('a filtered answer is a refusal', async () => {
    expect((await answer(wire, { text: 'Well', finish: 'refusal' })).at(-1)).toMatchObject({ reason: 'refusal' })
  })

  test('blank and empty answers are answers', async () => {
    expect(textOf(await answer(wire, { text: ' \n ' }))).toBe(' \n ')
    expect(await answer(wire, { text: '', usage: null })).toEqual([{ type: 'finish', reason: 'stop', usage: null }])
  })

  test('comments and thinking are ignored', async () => {
    const events = await answer(wire, { text: 'So be it', keepAliveComments: true, thinking: 'Hmm, "data:" ...' })
    expect(textOf(events)).toBe('So be it')
    expect(events).toHaveLength(4)
  })

  test('an answer without its end mark counts when its reason was given', async () => {
    const events = await answer(wire, { text: 'All said', ending: 'no-done' })
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', usage: { outputTokens: 2 } })
  })

  test('turn after turn uses the same sockets', async () => {
    await using own = await startModelServer()
    const ownHttp = createModelDispatcher()
    const model = createTestModel(wire, { http: ownHttp, clock, url: own.url })
    for (let turn = 0; turn < 10; turn += 1) await collect(model.stream(requestOf()))
    // Two: a turn may begin in the moment before the pool has noticed that the last one ended.
    expect(own.acceptedConnections).toBeLessThanOrEqual(2)
    await ownHttp.close()
  })

  test('fifty streams at once do not mix', async () => {
    const model = createTestModel(wire, { http, clock, url: server.url })
    const ask = (index: number): Promise<ModelEvent[]> =>
      collect(model.stream(requestOf({ messages: [{ role: 'user', content: `number ${index} of fifty` }] })))
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index)))
      expect(answers.map(textOf)).toEqual(answers.map((_, index) => `You said: number ${index} of fifty.`))
    }
    expect(clock.pendingTimers).toBe(0)
  })
})

describe.each(WIRES)('the %s wire split anywhere', (wire) => {
  const reply: ScriptedAnswer = {
    text: 'Grüße, 世界! 👩‍👩‍👧 naïve “quotes”\n\ndata: [DONE] {"x":1}',
    keepAliveComments: true,
    toolCalls: [{ id: 'a1', name: 'book', arguments: '{"who":"Zoë 😀","n":[1,2,{"a":"\\u00e9"}]}' }],
  }

  async function through(chunks: readonly Buffer[]): Promise<ModelEvent[]> {
    const split = createTestModel(wire, { http: new ChunkDispatcher(chunks), clock, url: 'http://model.test' })
    return await collect(split.stream(requestOf()))
  }
  const cut = (bytes: Buffer, positions: readonly number[]): Buffer[] => {
    const edges = [0, ...[...positions].sort((left, right) => left - right), bytes.length]
    return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
  }

  test('every single byte may come alone, with LF or CRLF', async () => {
    const bytes = renderAnswer(wire, reply, { stream_options: { include_usage: true } })
    const whole = await through([bytes])
    expect(textOf(whole)).toBe(reply.text)
    expect(await through(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole)
    const withCrLf = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'))
    expect(await through(Array.from(withCrLf, (byte) => Buffer.from([byte])))).toEqual(whole)
  })

  test('one cut at every position gives the same events', async () => {
    const bytes = renderAnswer(wire, { text: 'Zoë 😀', toolCalls: reply.toolCalls ?? [] }, {})
    const whole = await through([bytes])
    for (let position = 0; position <= bytes.length; position += 1) {
      expect(await through(cut(bytes, [position]))).toEqual(whole)
    }
  })

  test('arguments split at any characters and bytes at any places give the same call', async () => {
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
          const events = await through(
            cut(
              bytes,
              cuts.map((position) => position % bytes.length),
            ),
          )
          expect(textOf(events)).toBe(text)
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

  test('no bytes at all break it: whatever comes, one closing event ends the stream', async () => {
    const values = fc.oneof(fc.json(), fc.string(), fc.constantFrom('[DONE]', '{"choices":[null]}', '{"type":"error"}'))
    await fc.assert(
      fc.asyncProperty(fc.array(values, { maxLength: 8 }), async (lines) => {
        const events = await through(lines.map((line) => Buffer.from(`data: ${line}\n\n`)))
        const closing = events.filter((event) => event.type === 'finish' || event.type === 'error')
        expect(closing).toHaveLength(1)
        expect(events.at(-1)).toBe(closing[0])
      }),
      { numRuns: 300 },
    )
  })
})
