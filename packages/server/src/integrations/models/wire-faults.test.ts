import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ModelEvent, ModelFailure } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../../../testing/model-server/model-server.ts'
import { listSteps } from '../../../../../testing/model-server/rendering.ts'
import type { ModelReply, Wire } from '../../../../../testing/model-server/reply.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import {
  buildRequest,
  collect,
  createTestClock,
  createTestModel,
  joinTexts,
  TEST_KEY,
  WIRES,
} from './model-test-kit.ts'
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
  const [closingEvent] = closing
  if (closing.length !== 1 || closingEvent?.type !== 'error')
    throw new Error(`Not one error: ${JSON.stringify(events)}`)
  expect(closingEvent.failure.message).not.toContain(TEST_KEY)
  return closingEvent.failure
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

/**
 * Faults with the number of words before the failure, the kind of failure, and whether the client closes the connection
 * early.
 */
const FAULTS: readonly (readonly [
  string,
  ModelReply,
  { words: number; kind: ModelFailure['kind']; closed?: 'early' },
])[] = [
  ['the socket closes before the first token', { fault: 'cut', afterWords: 0 }, { words: 0, kind: 'unavailable' }],
  ['the socket closes after ten words', { fault: 'cut', afterWords: 10 }, { words: 10, kind: 'unavailable' }],
  ['a line is garbage', { fault: 'garbage-line', afterWords: 3 }, { words: 3, kind: 'protocol' }],
  ['a line has 10 MB', { fault: 'huge-line', sizeBytes: 10_000_000 }, { words: 0, kind: 'protocol', closed: 'early' }],
  ['the response is a web page', { fault: 'html' }, { words: 0, kind: 'protocol' }],
  [
    'the provider reports an overload',
    { fault: 'error-event', afterWords: 2, kind: 'overloaded' },
    { words: 2, kind: 'unavailable' },
  ],
  [
    'the provider reports a rate limit',
    { fault: 'error-event', afterWords: 2, kind: 'rate-limit' },
    { words: 2, kind: 'rate-limited' },
  ],
  [
    'the provider reports an invalid request',
    { fault: 'error-event', afterWords: 0, kind: 'invalid-request' },
    { words: 0, kind: 'rejected' },
  ],
  [
    'the provider reports an authentication error',
    { fault: 'error-event', afterWords: 0, kind: 'authentication' },
    { words: 0, kind: 'unauthorized' },
  ],
  ['the stream ends without a reason', { text: 'Well then', ending: 'no-finish' }, { words: 2, kind: 'unavailable' }],
]

describe.each(WIRES)('faults in the %s format', (wire) => {
  test.each(STATUSES)('status %i is %s', async (status, kind, retryable) => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'status', status })
    const failure = findFailure(await collect(setup.model.stream(buildRequest())))
    expect(failure).toMatchObject({ kind, retryable })
    expect(failure.message).toContain(`status ${status}: Scripted status ${status}.`)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test.each(FAULTS)('%s', async (_name, reply, expected) => {
    await using setup = await setUp(wire)
    setup.server.script(reply)
    const events = await collect(setup.model.stream(buildRequest()))
    const failure = findFailure(events)
    expect(failure.kind).toBe(expected.kind)
    expect(failure.retryable).toBe(expected.kind !== 'rejected' && expected.kind !== 'unauthorized')
    expect(events).toHaveLength(expected.words + 1)
    if (expected.closed !== undefined) expect(await (await setup.server.request(0)).closed).toBe(expected.closed)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('reads the retry delay as seconds, milliseconds or a date', async () => {
    await using setup = await setUp(wire)
    setup.server.script(
      { fault: 'status', status: 429, retryAfter: '1' },
      { fault: 'status', status: 429, retryAfter: '7', retryAfterMs: 250 },
      { fault: 'status', status: 503, retryAfter: new Date(setup.clock.now() + 30_000) },
      { fault: 'status', status: 429, retryAfter: new Date(setup.clock.now() - 30_000) },
      { fault: 'status', status: 429, retryAfter: 'soon' },
    )
    const delaysMs: unknown[] = []
    for (let index = 0; index < 5; index += 1) {
      delaysMs.push(findFailure(await collect(setup.model.stream(buildRequest()))).retryAfterMs)
    }
    expect(delaysMs).toEqual([1_000, 250, 30_000, 0, undefined])
  })

  test('reads an error body up to 64 KiB and never repeats the key', async () => {
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
    expect(findFailure(await collect(setup.model.stream(buildRequest()))).message.length).toBeLessThan(400)
    expect(await (await setup.server.request(0)).closed).toBe('early')
    expect(findFailure(await collect(setup.model.stream(buildRequest()))).message).toContain('Wrong key [key] or [key]')
    expect(findFailure(await collect(setup.model.stream(buildRequest()))).message).toBe(
      'The provider responded with status 502.',
    )
  })

  test('reports an unreachable server', async () => {
    await using setup = await setUp(wire)
    await setup.server.close()
    const failure = findFailure(await collect(setup.model.stream(buildRequest())))
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(failure.message).not.toContain('127.0.0.1')
  })

  test('accepts a complete response whose socket then hangs', async () => {
    await using setup = await setUp(wire)
    const reply: ModelReply = { text: 'All said', ending: 'no-done', usage: null }
    setup.server.defaultReply = (request) => ({
      steps: [...[...listSteps(wire, reply, request.body)].slice(0, -1), { kind: 'hang' }],
    })
    const stream = setup.model.stream(buildRequest())[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ text: 'All' })
    expect((await stream.next()).value).toMatchObject({ text: ' said' })
    const closing = stream.next()
    const request = await setup.server.request(0)
    // The reason replaces the long deadline with a short one.
    await setup.clock.timerSet(2_000)
    setup.clock.advance(2_000)
    expect((await closing).value).toEqual({ type: 'finish', reason: 'stop', usage: null })
    expect(await request.closed).toBe('early')
  })
})

describe.each(WIRES)('canceling in the %s format', (wire) => {
  const HANGS: readonly (readonly [string, ModelReply, number])[] = [
    ['before the response starts', { fault: 'hang', after: 'accept' }, 0],
    ['after the response headers', { fault: 'hang', after: 'headers' }, 0],
    ['after some words', { fault: 'hang', after: 'words', words: 4 }, 4],
  ]

  test.each(HANGS)('%s closes the connection and ends without an event', async (_name, reply, words) => {
    await using setup = await setUp(wire)
    setup.server.script(reply)
    const abortController = new AbortController()
    const stream = setup.model.stream(buildRequest({ signal: abortController.signal }))[Symbol.asyncIterator]()
    for (let word = 0; word < words; word += 1)
      expect((await stream.next()).value).toMatchObject({ type: 'text-delta' })
    const nextResult = stream.next()
    const request = await setup.server.request(0)
    expect(request.closedEarly).toBe(false)
    abortController.abort()
    expect(await nextResult).toEqual({ done: true, value: undefined })
    expect(await request.closed).toBe('early')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('drops events that were received but not read', async () => {
    await using setup = await setUp(wire)
    const abortController = new AbortController()
    const stream = setup.model.stream(buildRequest({ signal: abortController.signal }))[Symbol.asyncIterator]()
    await stream.next()
    abortController.abort()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('never sends a request that was canceled before it started', async () => {
    await using setup = await setUp(wire)
    expect(await collect(setup.model.stream(buildRequest({ signal: AbortSignal.abort() })))).toEqual([])
    setup.model.stream(buildRequest())
    expect(joinTexts(await collect(setup.model.stream(buildRequest())))).toBe('You said: Hello.')
    expect(setup.server.requests).toHaveLength(1)
  })

  test('closes the connection when the consumer leaves the loop', async () => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'hang', after: 'words', words: 2 })
    for await (const event of setup.model.stream(buildRequest())) {
      expect(event.type).toBe('text-delta')
      break
    }
    expect(await (await setup.server.request(0)).closed).toBe('early')
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('removes its listeners from a shared signal', async () => {
    await using setup = await setUp(wire)
    const { signal } = new AbortController()
    let listenerCount = 0
    const countingSignal = new Proxy(signal, {
      get(target, property) {
        if (property === 'addEventListener' || property === 'removeEventListener') {
          listenerCount += property === 'addEventListener' ? 1 : -1
        }
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    setup.server.script({ text: 'fine' }, { fault: 'status', status: 500 }, { fault: 'cut', afterWords: 1 })
    for (let index = 0; index < 3; index += 1)
      await collect(setup.model.stream(buildRequest({ signal: countingSignal })))
    expect(listenerCount).toBe(0)
  })

  test('ends an endless stream after ten minutes', async () => {
    await using setup = await setUp(wire)
    setup.server.script({ fault: 'hang', after: 'accept' })
    const stream = setup.model.stream(buildRequest())[Symbol.asyncIterator]()
    const nextResult = stream.next()
    const request = await setup.server.request(0)
    setup.clock.advance(600_000)
    expect((await nextResult).value).toMatchObject({ type: 'error', failure: { kind: 'timeout', retryable: true } })
    expect(await request.closed).toBe('early')
  })
})

test('treats a server that does not use HTTP as a protocol failure', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end('SSH-2.0-OpenSSH_9.9\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = createModelDispatcher()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const events = await collect(
    createTestModel('openai', { http, clock: createTestClock(), url }).stream(buildRequest()),
  )
  expect(findFailure(events)).toMatchObject({ kind: 'protocol', retryable: true })
  await http.destroy()
  server.close()
})

test('reports a key that is not a valid header value', async () => {
  const http = createModelDispatcher()
  const model = createOpenAiModel({
    name: 'x/y',
    model: 'y',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'line\nbreak',
    http,
    clock: createTestClock(),
  })
  expect(findFailure(await collect(model.stream(buildRequest())))).toMatchObject({
    kind: 'rejected',
    retryable: false,
  })
  await http.destroy()
})
