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
  /** The sink of the last opened stream. */
  opened(): Promise<StreamSink>
  /** Resolves when the stream is stopped. */
  readonly stopped: Promise<void>
  readonly lastEventIds: (number | null)[]
}

async function streamServer(open?: (sink: StreamSink) => void): Promise<StreamTestServer> {
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
            // The head waits briefly for a first event.
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
    opened: () => opened.promise,
    stopped: stopped.promise,
    lastEventIds,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function follow(port: number, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/things/a/events',
    method,
    headers: { ...BEARER, ...headers },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
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

const frame = (id: number, data = '{}') => ({ id, event: 'text-delta', data })

describe('an event stream', () => {
  test('opens without an event, with all response headers', async () => {
    await using scene = await streamServer()
    const response = await follow(await scene.server.listen())
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
    await scene.stopped
  })

  test('sends events with id, name and data until its end', async () => {
    await using scene = await streamServer((sink) => sink.send([frame(1, '{"text":"a\\nb"}')]))
    const response = await follow(await scene.server.listen())
    const sink = await scene.opened()
    sink.send([])
    sink.send([frame(2), frame(3, '"ж"')])
    sink.end()
    sink.end()
    sink.send([frame(4)])
    const { events, text } = await readAll(response)
    expect(text.startsWith('id: 1\nevent: text-delta\ndata: {"text":"a\\nb"}\n\n')).toBe(true)
    expect(events.map(({ id, event, data }) => [id, event, data])).toEqual([
      ['1', 'text-delta', '{"text":"a\\nb"}'],
      ['2', 'text-delta', '{}'],
      ['3', 'text-delta', '"ж"'],
    ])
    await scene.stopped
    expect(scene.server.manual.pendingTimers()).toBe(0)
  })

  test('ends with a reason when its reader loses access', async () => {
    await using scene = await streamServer((sink) => sink.send([frame(1)]))
    const response = await follow(await scene.server.listen())
    const sink = await scene.opened()
    const [connection] = scene.server.watchedConnections
    expect(connection?.credentialId).toBe(ACTOR.credentialId)
    expect(await connection?.isAllowed(ACTOR)).toBe(true)
    expect(await connection?.isAllowed({ ...ACTOR, scopes: new Set(['write']) })).toBe(false)
    connection?.onLost('forbidden')
    sink.send([frame(2)])
    const { events } = await readAll(response)
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'text-delta'],
      [undefined, 'access-ended'],
    ])
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ code: 'forbidden' })
    await scene.stopped
    expect([scene.server.manual.pendingTimers(), scene.server.watchedConnections.size]).toEqual([0, 0])
  })

  test('may end while it opens', async () => {
    await using scene = await streamServer((sink) => {
      sink.send([frame(1)])
      sink.end()
    })
    const { events } = await readAll(await follow(await scene.server.listen()))
    expect(events).toHaveLength(1)
    await scene.stopped
    expect(scene.server.manual.pendingTimers()).toBe(0)
  })

  test('keeps a quiet connection alive with comments', async () => {
    await using scene = await streamServer()
    const response = await follow(await scene.server.listen())
    await scene.opened()
    for (let beat = 0; beat < 2; beat += 1) {
      const data = once(response, 'data')
      await scene.server.manual.advance(15_000)
      expect((await data)[0]).toBe(': keep-alive\n\n')
    }
    response.destroy()
  })

  test('stops without leftover timers when the reader disconnects', async () => {
    await using scene = await streamServer()
    const response = await follow(await scene.server.listen())
    const sink = await scene.opened()
    response.destroy()
    await scene.stopped
    expect(scene.server.manual.pendingTimers()).toBe(0)
    sink.send([frame(1)])
    sink.end()
  })

  test('does not open for a reader that disconnected while the handler ran', async () => {
    const working = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    let opened = 0
    await using server = await startTestServer((api) =>
      mountAny(api, followThing, async () => {
        working.resolve()
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
    await working.promise
    const closed = once(response, 'close')
    socket.destroy()
    await closed
    release.resolve()
    await server.manual.advance(60_000)
    expect([opened, server.manual.pendingTimers()]).toEqual([0, 0])
  })

  test('disconnects a reader that does not read, and no other', async () => {
    await using scene = await streamServer()
    const response = await follow(await scene.server.listen())
    const sink = await scene.opened()
    response.pause()
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
    let sent = 0
    const stopped = scene.stopped.then(() => {
      sent = -sent
    })
    while (sent >= 0 && sent < 200) {
      sent += 1
      sink.send([frame(sent, megabyte)])
      await new Promise(setImmediate)
    }
    await stopped
    expect(Math.abs(sent)).toBeLessThan(200)
  })

  test('sends one large batch to an active reader', async () => {
    await using scene = await streamServer()
    const response = await follow(await scene.server.listen())
    const sink = await scene.opened()
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
    sink.send(Array.from({ length: 6 }, (_, index) => frame(index + 1, megabyte)))
    sink.end()
    expect((await readAll(response)).events).toHaveLength(6)
  })

  test('returns an error when opening fails', async () => {
    await using scene = await streamServer(() => {
      throw new Error('secret')
    })
    const answer = await scene.server.fastify.inject({ url: '/api/things/a/events', headers: BEARER })
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal_error'])
    expect(answer.body).not.toContain('secret')
    expect(scene.server.manual.pendingTimers()).toBe(0)
  })

  test('is cut off when it fails after its first event', async () => {
    await using scene = await streamServer((sink) => {
      sink.send([frame(1)])
      throw new Error('secret')
    })
    await expect(follow(await scene.server.listen()).then(readAll)).rejects.toThrow(/aborted|hang up/)
    expect(scene.server.manual.pendingTimers()).toBe(0)
  })

  test('answers HEAD without opening', async () => {
    await using scene = await streamServer(() => {
      throw new Error('opened')
    })
    const response = await follow(await scene.server.listen(), {}, 'HEAD')
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect((await readAll(response)).text).toBe('')
  })

  test('of a POST is not stored under its idempotency key', async () => {
    await using scene = await streamServer((sink) => sink.end())
    const port = await scene.server.listen()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await follow(port, { 'idempotency-key': 'k' }, 'POST')
      expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      await readAll(response)
    }
    expect(await (await scene.server.database()).read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  test.each([
    ['7', 7],
    ['0', 0],
    ['', null],
    [undefined, null],
  ])('Last-Event-ID %j resumes after %j', async (header, expected) => {
    await using scene = await streamServer((sink) => sink.end())
    const headers = header === undefined ? BEARER : { ...BEARER, 'last-event-id': header }
    await scene.server.fastify.inject({ url: '/api/things/a/events', headers })
    expect(scene.lastEventIds).toEqual([expected])
  })

  test.each(['abc', '-1', '1.5', '99999999999', '\xff'])('rejects Last-Event-ID %j', async (header) => {
    await using scene = await streamServer((sink) => sink.end())
    const headers = { ...BEARER, 'last-event-id': header }
    const answer = await scene.server.fastify.inject({ url: '/api/things/a/events', headers })
    expect(answer.json()).toMatchObject({ status: 400, details: [{ path: 'Last-Event-ID' }] })
  })
})
