import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ModelEvent, ModelFailure } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../../../testing/model-server/model-server.ts'
import { listSteps } from '../../../../../testing/model-server/rendering.ts'
import type { ModelReply, Wire } from '../../../../../testing/model-server/reply.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import { collect, createTestClock, createTestModel, joinTexts, requestOf, TEST_KEY, WIRES } from './model-test-kit.ts'
import { createOpenAiModel } from './openai-wire.ts'

async function setUp(wire: Wire) {
  const server: ModelServer = await startModelServer()
  const http = createModelDispatcher()
  const clock = createTestClock()
  return {
    server,
    clock,
    model: createTestModel(wire, { http, clock, url: server.url }),
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await server.close()
    },
  }
}

function findFailure(events: readonly ModelEvent[]): ModelFailure {
  const closing = events.filter((event) => event.type === 'error' || event.type === 'finish')
  const [last] = closing
  if (closing.length !== 1 || last?.type !== 'error') throw new Error(`Not one error: ${JSON.stringify(events)}`)
  expect(last.failure.message).not.toContain(TEST_KEY)
  return last.failure
}

const STATUSES: readonly (readonly [number, ModelFailure['kind'], boolean])[] = [
  [301, 'rejected', false],
  [400, 'rejected', false],
  [401, 'unauthorized', false],
  [403, 'unauthorized', false],
  [404, 'rejected', false],
  [408, 'unavailable', true],
  [409, 'unavailable', true],
  [413, 'rejected', false],
  [422, 'rejected', false],
  [429, 'rate-limited', true],
  [500, 'unavailable', true],
  [503, 'unavailable', true],
  [529, 'unavailable', true],
]

/** What must come of a fault: the text before it, the kind of failure, and whether the upstream was cut short. */
const FAULTS: readonly (readonly [
  string,
  ModelReply,
  { words: number; kind: ModelFailure['kind']; closed?: 'early' },
])[] = [
  ['the socket dies before the first token', { fault: 'cut', afterWords: 0 }, { words: 0, kind: 'unavailable' }],
  ['the socket dies after ten words', { fault: 'cut', afterWords: 10 }, { words: 10, kind: 'unavailable' }],
  ['a line is garbage', { fault: 'garbage-line', afterWords: 3 }, { words: 3, kind: 'protocol' }],
  ['a line has 10 MB', { fault: 'huge-line', sizeBytes: 10_000_000 }, { words: 0, kind: 'protocol', closed: 'early' }],
  ['a web page comes', { fault: 'html' }, { words: 0, kind: 'protocol' }],
  [
    'it says overloaded',
    { fault: 'error-event', afterWords: 2, kind: 'overloaded' },
    { words: 2, kind: 'unavailable' },
  ],
  [
    'it says slow down',
    { fault: 'error-event', afterWords: 2, kind: 'rate-limit' },
    { words: 2, kind: 'rate-limited' },
  ],
  ['it says wrong', { fault: 'error-event', afterWords: 0, kind: 'invalid-request' }, { words: 0, kind: 'rejected' }],
  ['it says who', { fault: 'error-event', afterWords: 0, kind: 'authentication' }, { words: 0, kind: 'unauthorized' }],
  ['it ends without a reason', { text: 'Well then', ending: 'no-finish' }, { words: 2, kind: 'unavailable' }],
]

describe.each(WIRES)('faults in the %s wire', (wire) => {
  test.each(STATUSES)('status %i is %s', async (status, kind, retryable) => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'status', status })
    const failure = findFailure(await collect(setup.model.stream(requestOf())))
    expect(failure).toMatchObject({ kind, retryable })
    expect(failure.message).toContain(`status ${status}: Scripted status ${status}.`)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test.each(FAULTS)('%s', async (_name, reply, expected) => {
    await using setup = await setUp(wire)
    setup.server.script(reply)
    const events = await collect(setup.model.stream(requestOf()))
    const failure = findFailure(events)
    expect(failure.kind).toBe(expected.kind)
    expect(failure.retryable).toBe(expected.kind !== 'rejected' && expected.kind !== 'unauthorized')
    expect(events).toHaveLength(expected.words + 1)
    if (expected.closed !== undefined) expect(await (await setup.server.request(0)).closed).toBe(expected.closed)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('how long to wait is read as seconds, milliseconds or a date', async () => {
    await using setup = await setUp(wire)
    setup.server.script(
      { fault: 'status', status: 429, retryAfter: '1' },
      { fault: 'status', status: 429, retryAfter: '7', retryAfterMs: 250 },
      { fault: 'status', status: 503, retryAfter: new Date(setup.clock.now() + 30_000) },
      { fault: 'status', status: 429, retryAfter: new Date(setup.clock.now() - 30_000) },
      { fault: 'status', status: 429, retryAfter: 'soon' },
    )
    const waits: unknown[] = []
    for (let index = 0; index < 5; index += 1) {
      waits.push(findFailure(await collect(setup.model.stream(requestOf()))).retryAfterMs)
    }
    expect(waits).toEqual([1_000, 250, 30_000, 0, undefined])
  })

  test('an error body is read up to 64 KiB, and never repeats the key', async () => {
    await using setup = await setUp(wire)
    setup.server.script(
      { fault: 'status', status: 500, body: `{"error":{"message":"${'x'.repeat(8_000_000)}"}}` },
      {
        fault: 'status',
        status: 401,
        body: JSON.stringify({ error: { message: `Wrong key ${TEST_KEY} or sk-abc***xyz.` } }),
      },
      { fault: 'status', status: 502, body: '<html><body>Bad gateway</body></html>' },
    )
    expect(findFailure(await collect(setup.model.stream(requestOf()))).message.length).toBeLessThan(400)
    expect(await (await setup.server.request(0)).closed).toBe('early')
    expect(findFailure(await collect(setup.model.stream(requestOf()))).message).toContain('Wrong key [key] or [key]')
    expect(findFailure(await collect(setup.model.stream(requestOf()))).message).toBe(
      'The provider answered with status 502.',
    )
  })

  test('the server is unreachable', async () => {
    await using setup = await setUp(wire)
    await setup.server.close()
    const failure = findFailure(await collect(setup.model.stream(requestOf())))
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(failure.message).not.toContain('127.0.0.1')
  })

  test('an answer that is complete counts, even if its socket then hangs', async () => {
    await using setup = await setUp(wire)
    const reply: ModelReply = { text: 'All said', ending: 'no-done', usage: null }
    setup.server.defaultReply = (request) => ({
      steps: [...[...listSteps(wire, reply, request.body)].slice(0, -1), { kind: 'hang' }],
    })
    const stream = setup.model.stream(requestOf())[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ text: 'All' })
    expect((await stream.next()).value).toMatchObject({ text: ' said' })
    const closing = stream.next()
    const request = await setup.server.request(0)
    // The reason starts a short deadline of its own in place of the long one.
    await setup.clock.timerSet(2_000)
    setup.clock.advance(2_000)
    expect((await closing).value).toEqual({ type: 'finish', reason: 'stop', usage: null })
    expect(await request.closed).toBe('early')
  })
})

describe.each(WIRES)('cancelling in the %s wire', (wire) => {
  const HANGS: readonly (readonly [string, ModelReply, number])[] = [
    ['before the answer begins', { fault: 'hang', after: 'accept' }, 0],
    ['after the head of the answer', { fault: 'hang', after: 'headers' }, 0],
    ['after some words', { fault: 'hang', after: 'words', words: 4 }, 4],
  ]

  test.each(HANGS)('%s closes the upstream and ends without an event', async (_name, reply, words) => {
    await using setup = await setUp(wire)
    setup.server.script(reply)
    const abort = new AbortController()
    const stream = setup.model.stream(requestOf({ signal: abort.signal }))[Symbol.asyncIterator]()
    for (let word = 0; word < words; word += 1)
      expect((await stream.next()).value).toMatchObject({ type: 'text-delta' })
    const next = stream.next()
    const request = await setup.server.request(0)
    expect(request.closedEarly).toBe(false)
    abort.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(await request.closed).toBe('early')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('what was received but not taken is dropped', async () => {
    await using setup = await setUp(wire)
    const abort = new AbortController()
    const stream = setup.model.stream(requestOf({ signal: abort.signal }))[Symbol.asyncIterator]()
    await stream.next()
    abort.abort()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a request that was cancelled before it began is never sent', async () => {
    await using setup = await setUp(wire)
    expect(await collect(setup.model.stream(requestOf({ signal: AbortSignal.abort() })))).toEqual([])
    setup.model.stream(requestOf())
    expect(joinTexts(await collect(setup.model.stream(requestOf())))).toBe('You said: Hello.')
    expect(setup.server.requests).toHaveLength(1)
  })

  test('leaving the loop closes the upstream', async () => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'hang', after: 'words', words: 2 })
    for await (const event of setup.model.stream(requestOf())) {
      expect(event.type).toBe('text-delta')
      break
    }
    expect(await (await setup.server.request(0)).closed).toBe('early')
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('one signal serves many requests and keeps no listener', async () => {
    await using setup = await setUp(wire)
    const { signal } = new AbortController()
    let listeners = 0
    const counted = new Proxy(signal, {
      get(target, property) {
        if (property === 'addEventListener' || property === 'removeEventListener') {
          listeners += property === 'addEventListener' ? 1 : -1
        }
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    setup.server.script({ text: 'fine' }, { fault: 'status', status: 500 }, { fault: 'cut', afterWords: 1 })
    for (let index = 0; index < 3; index += 1) await collect(setup.model.stream(requestOf({ signal: counted })))
    expect(listeners).toBe(0)
  })

  test('an endless stream is ended after ten minutes', async () => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'hang', after: 'accept' })
    const stream = setup.model.stream(requestOf())[Symbol.asyncIterator]()
    const next = stream.next()
    const request = await setup.server.request(0)
    setup.clock.advance(600_000)
    expect((await next).value).toMatchObject({ type: 'error', failure: { kind: 'timeout', retryable: true } })
    expect(await request.closed).toBe('early')
  })
})

test('a server that speaks no HTTP is a protocol failure', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end('SSH-2.0-OpenSSH_9.9\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = createModelDispatcher()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const events = await collect(createTestModel('openai', { http, clock: createTestClock(), url }).stream(requestOf()))
  expect(findFailure(events)).toMatchObject({ kind: 'protocol', retryable: true })
  await http.destroy()
  server.close()
})

test('a key that cannot stand in a header is a failure, not an exception', async () => {
  const http = createModelDispatcher()
  const model = createOpenAiModel({
    name: 'x/y',
    model: 'y',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'line\nbreak',
    http,
    clock: createTestClock(),
  })
  expect(findFailure(await collect(model.stream(requestOf())))).toMatchObject({
    kind: 'rejected',
    retryable: false,
  })
  await http.destroy()
})
