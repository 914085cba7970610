import type { ModelEvent } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../../../../testing/model-server/model-server.ts'
import type { Wire } from '../../../../../testing/model-server/reply.ts'
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

/** What a model makes of these `data:` lines; objects are sent as JSON. */
async function read(wire: Wire, ...lines: readonly unknown[]): Promise<ModelEvent[]> {
  const text = lines.map((line) => `data: ${typeof line === 'string' ? line : JSON.stringify(line)}\n\n`).join('')
  const http = new ChunkDispatcher([Buffer.from(text)])
  const model = createTestModel(wire, { http, clock: createTestClock(), url: 'http://model.test' })
  return await collect(model.stream(requestOf()))
}

const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ delta: fields, finish_reason: finish }],
})
const called = (name: string, args: unknown) => ({ name, arguments: args })

describe('servers that are nearly compatible with the chat-completions wire', () => {
  test('whole calls without an index, and `stop` as the reason', async () => {
    const events = await read(
      'openai',
      delta({
        tool_calls: [
          { id: 'a', function: called('one', '{"x":1}') },
          { id: 'b', function: called('two', '{}') },
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

  test('every call numbered 0, arguments as an object, names repeated', async () => {
    const events = await read(
      'openai',
      delta({ tool_calls: [{ index: 0, id: 'a', function: called('one', { x: 1 }) }] }),
      delta({ tool_calls: [{ index: 0, id: 'b', function: called('two', '{"y"') }] }),
      delta({ tool_calls: [{ function: called('two', ':2}') }] }, 'tool_calls'),
    )
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'one', argumentsText: '{"x":1}' } },
      { type: 'tool-call', call: { id: 'b', name: 'two', argumentsText: '{"y":2}' } },
    ])
  })

  test('deltas out of order are put in order', async () => {
    const events = await read(
      'openai',
      delta({ tool_calls: [{ index: 1, id: 'b', function: called('two', '') }] }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: called('one', '') }] }, 'tool_calls'),
    )
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))).toEqual(['a', 'b'])
  })

  test('an end mark without a reason ends the answer', async () => {
    expect(await read('openai', delta({ content: 'Hi' }), '[DONE]')).toEqual([
      { type: 'text-delta', text: 'Hi' },
      { type: 'finish', reason: 'stop', usage: null },
    ])
  })

  test('an error as a number, as a text, or as a reason', async () => {
    expect(await read('openai', { error: { code: 429, message: 'Slow down.' } })).toMatchObject([
      { failure: { kind: 'rate-limited', message: expect.stringContaining('Slow down.') } },
    ])
    expect(await read('openai', { error: 'out of memory' })).toMatchObject([{ failure: { kind: 'unavailable' } }])
    expect(await read('openai', delta({}, 'error'))).toMatchObject([{ failure: { kind: 'unavailable' } }])
  })

  test('nothing counts after the end', async () => {
    expect(await read('openai', delta({ content: 'Hi' }, 'stop'), 'garbage')).toMatchObject([{}, { type: 'finish' }])
    expect(
      await read('openai', delta({ content: 'Hi' }, 'stop'), '[DONE]', 'garbage', delta({ content: '!' })),
    ).toHaveLength(2)
  })
})

describe('what the messages wire may add', () => {
  const toolUse = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
  const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }] as const

  test('input given at once, tools that the provider runs itself, unknown events', async () => {
    const events = await read(
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

  test('cache reads and writes are part of the input', async () => {
    const started = { input_tokens: 5, cache_read_input_tokens: 70, cache_creation_input_tokens: 25, output_tokens: 1 }
    const events = await read(
      'anthropic',
      { type: 'message_start', message: { usage: started } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    )
    expect(events).toEqual([
      { type: 'finish', reason: 'stop', usage: { inputTokens: 100, outputTokens: 9, cachedInputTokens: 70 } },
    ])
  })
})

describe.each(WIRES)('limits of the %s wire', (wire) => {
  const call = (index: number, name: string, args: string): unknown =>
    wire === 'openai'
      ? delta({ tool_calls: [{ index, id: `id${index}`, function: called(name, args) }] })
      : { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `id${index}`, name } }

  test('a call without a name, or too many calls, are protocol failures', async () => {
    const end = wire === 'openai' ? '[DONE]' : { type: 'message_stop' }
    expect(await read(wire, call(0, '', '{}'), end)).toMatchObject([{ type: 'error', failure: { kind: 'protocol' } }])
    const many = Array.from({ length: 129 }, (_, index) => call(index, 'f', '{}'))
    expect(await read(wire, ...many, end)).toMatchObject([{ type: 'error', failure: { kind: 'protocol' } }])
  })

  test('a consumer that falls far behind still gets everything', async () => {
    await using server = await startModelServer()
    const http = createModelDispatcher()
    const text = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' ')
    server.script({ text })
    const model = createTestModel(wire, { http, clock: createTestClock(), url: server.url })
    const stream = model.stream(requestOf())
    const iterator = stream[Symbol.asyncIterator]()
    const first = await iterator.next()
    // Lets the socket deliver until the client stops it.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    const rest = await collect(stream)
    expect(textOf(first.done ? rest : [first.value, ...rest])).toBe(text)
    expect(rest.at(-1)?.type).toBe('finish')
    await http.close()
  })
})
