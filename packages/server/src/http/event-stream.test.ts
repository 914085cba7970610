import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { defineOperation } from '@parley/contract/operation'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EventStream, type StreamSink } from '../kernel/api/implement.ts'
import { ACTOR, BEARER, mountAny, startTestServer, type TestServer } from './http-test-kit.ts'

const followThing = defineOperation({
  name: 'followThing',
  route: 'GET /api/things/{thingId}/events',
  tag: 'Things',
  summary: 'Follow a thing',
  access: 'read',
  workspace: 'none',
  pathParameters: z.object({ thingId: z.string() }),
  status: 200,
  features: ['event-stream'],
})

const streamThing: typeof followThing = { ...followThing, name: 'streamThing', method: 'POST', access: 'calls' }

interface StreamTestServer extends AsyncDisposable {
  readonly server: TestServer
  /** Resolves to the sink of the opened stream. */
  waitForSink(): Promise<StreamSink>
  /** Resolves when the stream is stopped. */
  readonly stopped: Promise<void>
  readonly lastEventIds: (number | null)[]
}

async function startStreamServer(open?: (sink: StreamSink) => void): Promise<StreamTestServer> {
  const opened = Promise.withResolvers<StreamSink>()
  const stopped = Promise.withResolvers<void>()
  const lastEventIds: (number | null)[] = []
  const server = await startTestServer(
    (api) => {
      for (const operation of [followThing, streamThing]) {
        mountAny(api, operation, async (_input, context) => {
          lastEventIds.push(context.lastEventId)
          return new EventStream((sink) => {
            open?.(sink)
            opened.resolve(sink)
            // The response waits briefly for a first event.
            setImmediate(() => void server.manual.advance(50))
            return () => stopped.resolve()
          })
        })
      }
    },
    { perSecond: 10, burst: 20 },
  )
  return {
    server,
    waitForSink: () => opened.promise,
    stopped: stopped.promise,
    lastEventIds,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function openStream(
  port: number,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<IncomingMessage> {
  const sentRequest = request({
    host: '127.0.0.1',
    port,
    path: '/api/things/a/events',
    method,
    headers: { ...BEARER, ...headers },
  })
  sentRequest.end()
  const [response] = (await once(sentRequest, 'response')) as [IncomingMessage]
  return response.setEncoding('utf8')
}

async function readAll(response: IncomingMessage): Promise<{ events: EventSourceMessage[]; text: string }> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  let text = ''
  for await (const chunk of response) {
    text += chunk
    parser.feed(chunk)
  }
  return { events, text }
}

const createEvent = (id: number, data = '{}') => ({ id, event: 'text-delta', data })

describe('an event stream', () => {
  test('opens without an event, with all response headers', async () => {
    await using setup = await startStreamServer()
    const response = await openStream(await setup.server.listen())
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-content-type-options': 'nosniff',
      'ratelimit-limit': '20',
      'ratelimit-remaining': '19',
    })
    response.destroy()
    await setup.stopped
  })

  test('sends events with id, name and data until its end', async () => {
    await using setup = await startStreamServer((sink) => sink.send([createEvent(1, '{"text":"a\\nb"}')]))
    const response = await openStream(await setup.server.listen())
    const sink = await setup.waitForSink()
    sink.send([])
    sink.send([createEvent(2), createEvent(3, '"ж"')])
    sink.end()
    sink.end()
    sink.send([createEvent(4)])
    const { events, text } = await readAll(response)
    expect(text.startsWith('id: 1\nevent: text-delta\ndata: {"text":"a\\nb"}\n\n')).toBe(true)
    expect(events.map(({ id, event, data }) => [id, event, data])).toEqual([
      ['1', 'text-delta', '{"text":"a\\nb"}'],
      ['2', 'text-delta', '{}'],
      ['3', 'text-delta', '"ж"'],
    ])
    await setup.stopped
    expect(setup.server.manual.countPendingTimers()).toBe(0)
  })

  test('ends with a reason when its reader loses access', async () => {
    await using setup = await startStreamServer((sink) => sink.send([createEvent(1)]))
    const response = await openStream(await setup.server.listen())
    const sink = await setup.waitForSink()
    const [connection] = setup.server.watchedConnections
    expect(connection?.credentialId).toBe(ACTOR.credentialId)
    expect(await connection?.isAllowed(ACTOR)).toBe(true)
    expect(await connection?.isAllowed({ ...ACTOR, scopes: new Set(['write']) })).toBe(false)
    connection?.onLost('forbidden')
    sink.send([createEvent(2)])
    const { events } = await readAll(response)
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'text-delta'],
      [undefined, 'access-ended'],
    ])
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ code: 'forbidden' })
    await setup.stopped
    expect([setup.server.manual.countPendingTimers(), setup.server.watchedConnections.size]).toEqual([0, 0])
  })

  test('can end while it opens', async () => {
    await using setup = await startStreamServer((sink) => {
      sink.send([createEvent(1)])
      sink.end()
    })
    const { events } = await readAll(await openStream(await setup.server.listen()))
    expect(events).toHaveLength(1)
    await setup.stopped
    expect(setup.server.manual.countPendingTimers()).toBe(0)
  })

  test('keeps an idle connection alive with comments', async () => {
    await using setup = await startStreamServer()
    const response = await openStream(await setup.server.listen())
    await setup.waitForSink()
    for (let round = 0; round < 2; round += 1) {
      const data = once(response, 'data')
      await setup.server.manual.advance(15_000)
      expect((await data)[0]).toBe(': keep-alive\n\n')
    }
    response.destroy()
  })

  test('stops without leftover timers when the reader disconnects', async () => {
    await using setup = await startStreamServer()
    const response = await openStream(await setup.server.listen())
    const sink = await setup.waitForSink()
    response.destroy()
    await setup.stopped
    expect(setup.server.manual.countPendingTimers()).toBe(0)
    sink.send([createEvent(1)])
    sink.end()
  })

  test('does not open for a reader that disconnected while the handler ran', async () => {
    const handlerStarted = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    let opened = 0
    await using server = await startTestServer((api) =>
      mountAny(api, followThing, async () => {
        handlerStarted.resolve()
        await release.promise
        return new EventStream(() => {
          opened += 1
          return () => {}
        })
      }),
    )
    const socket = connect(await server.listen(), '127.0.0.1')
    socket.write('GET /api/things/a/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk_test\r\n\r\n')
    const [, response] = await once(server.fastify.server, 'request')
    await handlerStarted.promise
    const closed = once(response, 'close')
    socket.destroy()
    await closed
    release.resolve()
    await server.manual.advance(60_000)
    expect([opened, server.manual.countPendingTimers()]).toEqual([0, 0])
  })

  test('disconnects a reader that does not read', async () => {
    await using setup = await startStreamServer()
    const response = await openStream(await setup.server.listen())
    const sink = await setup.waitForSink()
    response.pause()
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
    let sentCount = 0
    const stopped = setup.stopped.then(() => {
      sentCount = -sentCount
    })
    while (sentCount >= 0 && sentCount < 200) {
      sentCount += 1
      sink.send([createEvent(sentCount, megabyte)])
      await new Promise(setImmediate)
    }
    await stopped
    expect(Math.abs(sentCount)).toBeLessThan(200)
  })

  test('sends one large batch to an active reader', async () => {
    await using setup = await startStreamServer()
    const response = await openStream(await setup.server.listen())
    const sink = await setup.waitForSink()
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
    sink.send(Array.from({ length: 6 }, (_, index) => createEvent(index + 1, megabyte)))
    sink.end()
    expect((await readAll(response)).events).toHaveLength(6)
  })

  test('returns an error when opening fails', async () => {
    await using setup = await startStreamServer(() => {
      throw new Error('secret')
    })
    const response = await setup.server.fastify.inject({ url: '/api/things/a/events', headers: BEARER })
    expect([response.statusCode, response.json().code]).toEqual([500, 'internal_error'])
    expect(response.body).not.toContain('secret')
    expect(setup.server.manual.countPendingTimers()).toBe(0)
  })

  test('is aborted when it fails after its first event', async () => {
    await using setup = await startStreamServer((sink) => {
      sink.send([createEvent(1)])
      throw new Error('secret')
    })
    await expect(openStream(await setup.server.listen()).then(readAll)).rejects.toThrow(/aborted|hang up/)
    expect(setup.server.manual.countPendingTimers()).toBe(0)
  })

  test('responds to HEAD without opening', async () => {
    await using setup = await startStreamServer(() => {
      throw new Error('opened')
    })
    const response = await openStream(await setup.server.listen(), {}, 'HEAD')
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect((await readAll(response)).text).toBe('')
  })

  test('of a POST is not stored under its idempotency key', async () => {
    await using setup = await startStreamServer((sink) => sink.end())
    const port = await setup.server.listen()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await openStream(port, { 'idempotency-key': 'k' }, 'POST')
      expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      await readAll(response)
    }
    expect(await (await setup.server.database()).read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  test.each([
    ['7', 7],
    ['0', 0],
    ['', null],
    [undefined, null],
  ])('Last-Event-ID %j resumes after %j', async (header, expected) => {
    await using setup = await startStreamServer((sink) => sink.end())
    const headers = header === undefined ? BEARER : { ...BEARER, 'last-event-id': header }
    await setup.server.fastify.inject({ url: '/api/things/a/events', headers })
    expect(setup.lastEventIds).toEqual([expected])
  })

  test.each(['abc', '-1', '1.5', '99999999999', '\xff'])('rejects Last-Event-ID %j', async (header) => {
    await using setup = await startStreamServer((sink) => sink.end())
    const headers = { ...BEARER, 'last-event-id': header }
    const response = await setup.server.fastify.inject({ url: '/api/things/a/events', headers })
    expect(response.json()).toMatchObject({ status: 400, details: [{ path: 'Last-Event-ID' }] })
  })
})
