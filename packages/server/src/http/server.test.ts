import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { EventStream } from '../kernel/api/implement.ts'
import { AppError } from '../kernel/errors.ts'
import { BEARER, createThing, listThings, mountAny, removeThing, startTestServer } from './http-test-kit.ts'
import { RouteMethods, stopServer } from './server.ts'

const SECRET = 'Jane Doe, +1 555 0100'

function startPlainServer() {
  return startTestServer((api) => {
    mountAny(api, createThing, async ({ body }) => body)
    mountAny(api, listThings, async ({ query }) => query)
    mountAny(api, removeThing, async () => undefined)
  })
}

/** Sends bytes and returns the response until the server closes. */
async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8').write(bytes, 'latin1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  return received
}

interface InjectedResponse {
  readonly statusCode: number
  readonly headers: Record<string, unknown>
  json(): { requestId: string; code: string; status: number; details: { path: string; message: string }[] }
}

function expectProblem(response: InjectedResponse, status: number, code: string): void {
  const body = response.json()
  expect(response.statusCode).toBe(status)
  expect(body).toMatchObject({ code, status })
  const keys = Object.keys(body).filter((key) => key !== 'success')
  expect(keys.join(' ')).toBe('error code status details requestId')
  expect(body.requestId).toMatch(/^req_/)
  expect(response.headers['x-request-id']).toBe(body.requestId)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
}

const JSON_HEADERS = { ...BEARER, 'content-type': 'application/json' }

function buildPost(payload: InjectOptions['payload'], contentType = 'application/json'): InjectOptions {
  return { method: 'POST', headers: { ...BEARER, 'content-type': contentType }, ...(payload && { payload }) }
}

function buildDelete(thingId: string): InjectOptions {
  return { method: 'DELETE', url: `/api/things/${thingId}?workspaceId=1` }
}

describe('error format', () => {
  const valid = { workspaceId: 1, display_name: 'a' }
  test.each<[string, InjectOptions, number, string]>([
    ['no token', { url: '/api/things', headers: {} }, 401, 'unauthorized'],
    ['an unknown path', { url: '/nowhere' }, 404, 'not_found'],
    ['an unknown path with a broken body', { method: 'POST', url: '/nowhere', payload: '{' }, 404, 'not_found'],
    ['an unknown path with another body', { ...buildPost('x', 'a/b'), url: '/x' }, 404, 'not_found'],
    ['malformed JSON', { method: 'POST', payload: '{"a":' }, 400, 'invalid_request'],
    ['JSON with a raw NUL', { method: 'POST', payload: '{"a":"\0"}' }, 400, 'invalid_request'],
    ['deep nesting', buildPost(`{"metadata":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), 400, 'invalid_request'],
    ['NUL in a string', { method: 'POST', payload: { ...valid, metadata: { a: ['\0'] } } }, 400, 'invalid_request'],
    ['NUL in a key', { method: 'POST', payload: { ...valid, metadata: { 'a\0': 1 } } }, 400, 'invalid_request'],
    ['NUL in the query', { url: '/api/things?workspaceId=1&search=%00' }, 400, 'invalid_request'],
    ['NUL in the path', buildDelete('%00'), 404, 'not_found'],
    ['a query key twice', { url: '/api/things?workspaceId=1&limit=1&limit=2' }, 400, 'invalid_request'],
    ['a large body', { method: 'POST', payload: { ...valid, metadata: 'x'.repeat(70_000) } }, 413, 'payload_too_large'],
    ['a long URL', { url: `/api/things?workspaceId=1&search=${'x'.repeat(9_000)}` }, 414, 'uri_too_long'],
    ['a long path segment', buildDelete('x'.repeat(2_000)), 414, 'uri_too_long'],
    ['an id too long to exist', buildDelete('x'.repeat(300)), 404, 'not_found'],
    ['an invalid percent encoding', buildDelete('%zz'), 400, 'invalid_request'],
    ['invalid UTF-8 in the path', buildDelete('%ff'), 400, 'invalid_request'],
    ['another media type', buildPost('a', 'text/plain'), 415, 'unsupported_media_type'],
    ['no media type', { method: 'POST', headers: BEARER, payload: Buffer.from('a') }, 415, 'unsupported_media_type'],
    ['an invalid media type', buildPost('a', 'json'), 415, 'unsupported_media_type'],
    ['a list body', { method: 'POST', url: '/api/things?workspaceId=1', payload: [] }, 400, 'invalid_request'],
    ['a string body', { method: 'POST', url: '/api/things?workspaceId=1', payload: '"a"' }, 400, 'invalid_request'],
    ['a path that looks like a URL', { url: '//evil.example/%2e%2e' }, 404, 'not_found'],
  ])('%s', async (_name, request, status, code) => {
    await using server = await startPlainServer()
    const response = await server.fastify.inject({ url: '/api/things', headers: JSON_HEADERS, ...request })
    expectProblem(response, status, code)
  })

  test('rejects 100,000 levels of nesting before recursive code runs', async () => {
    await using server = await startTestServer((api) =>
      mountAny(api, { ...createThing, bodyLimitBytes: 1_000_000 }, async () => undefined),
    )
    for (const payload of ['[', '{"a":'].map(
      (opening) => `${opening.repeat(100_000)}1${(opening === '[' ? ']' : '}').repeat(100_000)}`,
    )) {
      const response = await server.fastify.inject({
        method: 'POST',
        url: '/api/things',
        headers: JSON_HEADERS,
        payload,
      })
      expectProblem(response, 400, 'invalid_request')
      expect(response.json().details[0].message).toMatch(/nest/)
    }
  })

  test('reports the path of a NUL character', async () => {
    await using server = await startPlainServer()
    const payload = { workspaceId: 1, display_name: 'a', steps: [{ step_id: 'a' }, { step_id: '\0' }] }
    const response = await server.fastify.inject({ method: 'POST', url: '/api/things', headers: BEARER, payload })
    expect(response.json().details[0].path).toBe('steps[1].step_id')
  })

  test('reports all problems of query and body at once', async () => {
    await using server = await startPlainServer()
    const payload = { display_name: 7, maxCount: 11, steps: [{}], engine: { type: 'x' } }
    const response = await server.fastify.inject({ method: 'POST', url: '/api/things', headers: BEARER, payload })
    const paths = response.json().details.map((detail: { path: string }) => detail.path)
    expect(paths).toEqual(['workspaceId', 'display_name', 'maxCount', 'steps[0].step_id', 'engine.type'])
  })

  test.each(['/api/things', '/api/v1/things'])('returns 405 with the allowed methods for %s', async (url) => {
    await using server = await startPlainServer()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const) {
      const response = await server.fastify.inject({ method: method as 'PUT', url, headers: JSON_HEADERS })
      expectProblem(response, 405, 'method_not_allowed')
      expect(response.headers['allow']).toBe('POST, GET, HEAD')
    }
    const broken = await server.fastify.inject({ method: 'PUT', url, headers: JSON_HEADERS, payload: '{' })
    expectProblem(broken, 405, 'method_not_allowed')
    const head = await server.fastify.inject({ method: 'HEAD', url: '/api/things/a' })
    expect([head.statusCode, head.headers['allow'], head.body]).toEqual([405, 'DELETE', ''])
  })

  test('accepts a JSON content type without a body', async () => {
    await using server = await startPlainServer()
    expect((await server.fastify.inject({ ...buildDelete('a'), headers: JSON_HEADERS })).statusCode).toBe(204)
    const empty = { method: 'POST', url: '/api/things?workspaceId=1', headers: JSON_HEADERS } as const
    expect((await server.fastify.inject(empty)).json().details).toEqual([
      { path: 'display_name', message: 'is required and must be a string' },
    ])
  })

  test.each([
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    'Application/JSON',
    'application/vnd.a+json',
  ])('parses %s as JSON', async (type) => {
    await using server = await startPlainServer()
    const request = buildPost(JSON.stringify({ workspaceId: 1, display_name: 'a' }), type)
    expect((await server.fastify.inject({ ...request, url: '/api/things' })).statusCode).toBe(201)
  })
})

describe('a failing handler', () => {
  test('returns no details and logs no personal data', async () => {
    await using server = await startTestServer((api) => {
      mountAny(api, listThings, async () => {
        throw Object.assign(new Error(SECRET), { statusCode: 404, code: 'FST_ERR_BAD_URL' })
      })
    })
    const response = await server.fastify.inject({
      url: `/api/things?workspaceId=1&search=${encodeURIComponent(SECRET)}`,
      headers: BEARER,
    })
    expectProblem(response, 500, 'internal_error')
    expect(response.body).not.toContain('Jane')
    const errors = server.log.filter((line) => line.level === 'error')
    expect(errors).toHaveLength(1)
    expect(errors[0]?.values).toMatchObject({ requestId: response.json().requestId, code: 'internal_error' })
    expect(
      JSON.stringify(server.log.map(({ values, event }) => ({ ...values, cause: undefined, event }))),
    ).not.toContain('Jane')
  })

  test('on a call route returns success: false', async () => {
    await using server = await startTestServer((api) =>
      mountAny(api, { ...listThings, path: '/api/v1/calls' }, async () =>
        Promise.reject(new AppError('unavailable', 'Busy.', { retryAfterMs: 1500 })),
      ),
    )
    const response = await server.fastify.inject({ url: '/api/calls?workspaceId=1', headers: BEARER })
    expectProblem(response, 503, 'unavailable')
    expect(response.json().success).toBe(false)
    expect(response.headers['retry-after']).toBe('2')
  })

  test('responses have a request id and are never cached by intermediaries', async () => {
    await using server = await startPlainServer()
    for (const headers of [JSON_HEADERS, {}, { ...BEARER, 'x-request-id': 'mine\u00ff' }]) {
      const response = await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.headers['x-request-id']).toMatch(/^req_/)
    }
  })

  test('logs request patterns, never URLs', async () => {
    await using server = await startPlainServer()
    await server.fastify.inject({ ...buildDelete(encodeURIComponent(SECRET)), headers: BEARER })
    await server.fastify.inject({ url: `/${encodeURIComponent(SECRET)}` })
    expect(server.log.map((line) => line.values['route'])).toEqual(['/api/things/:thingId', 'unknown'])
    expect(JSON.stringify(server.log)).not.toContain('Jane')
  })
})

const LENGTH_ONE = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n'

describe('malformed HTTP', () => {
  test.each([
    ['garbage', '\x00\x01\x02garbage\r\n\r\n', 400],
    ['a broken version', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['two lengths', `${LENGTH_ONE}Content-Length: 2\r\n\r\n`, 400],
    ['a length and chunks', `${LENGTH_ONE}Transfer-Encoding: chunked\r\n\r\n`, 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an unknown expectation', 'GET /x HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n', 404],
    ['huge headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 414],
  ])('%s returns an error and closes the connection', async (_name, bytes, status) => {
    await using server = await startPlainServer()
    const received = await sendBytes(await server.listen(), bytes)
    const [head = '', body = ''] = received.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} \\w`))
    const problem = JSON.parse(body)
    expect(problem.status).toBe(status)
    expect(head.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`)
  })

  test('garbage after a valid request leaves its response intact', async () => {
    await using server = await startPlainServer()
    const socket = connect(await server.listen(), '127.0.0.1')
    socket.setEncoding('utf8').write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n')
    const [first] = await once(socket, 'data')
    expect(first).toContain('"code":"not_found"')
    socket.write('\x01\x02\r\n\r\n')
    const [second] = await once(socket, 'data')
    expect(second).toMatch(/^HTTP\/1.1 400 Bad Request/)
    await once(socket, 'close')
  })

  test('unusual bytes in headers do not cause internal errors', async () => {
    await using server = await startPlainServer()
    const request = [
      'GET /api/things?workspaceId=1 HTTP/1.1',
      'Host: a',
      'Authorization: Bearer sk_test',
      'Accept: \xff\x80',
    ]
    const lines = ['Last-Event-ID: \xd0\x96', 'If-Match: \xff', 'Idempotency-Key: \xff', 'Connection: close', '', '']
    const received = await sendBytes(await server.listen(), [...request, ...lines].join('\r\n'))
    expect(received).toMatch(/^HTTP\/1.1 200/)
  })

  test('a client that disconnects within its body is not logged as an error', async () => {
    await using server = await startPlainServer()
    const socket = connect(await server.listen(), '127.0.0.1')
    const head =
      'POST /api/things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk_test\r\nContent-Type: application/json\r\n'
    socket.write(`${head}Content-Length: 100\r\n\r\n{"a`)
    const [request] = await once(server.fastify.server, 'request')
    socket.destroy()
    await new Promise((resolve) => request.once('close', resolve))
    expect((await server.fastify.inject({ url: '/nowhere' })).statusCode).toBe(404)
    expect(server.log.filter((line) => line.level === 'error')).toEqual([])
  })
})

const REQUEST = 'GET /api/things?workspaceId=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk_test\r\n\r\n'

function openConnection(port: number): Socket {
  return connect(port, '127.0.0.1').setEncoding('utf8')
}

/** Starts a server whose only operation resolves `handlerStarted` and responds after `release`. */
async function startSlowServer() {
  const handlerStarted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const server = await startTestServer((api) =>
    mountAny(api, listThings, async () => {
      handlerStarted.resolve()
      await release.promise
      return ['slow']
    }),
  )
  return { server, handlerStarted, release, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('an idle keep-alive connection does not block shutdown', async () => {
  await using server = await startTestServer((api) => mountAny(api, listThings, async () => []))
  const socket = openConnection(await server.listen())
  socket.write(REQUEST)
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 200/)
  const closed = once(socket, 'close')
  await stopServer(server.fastify, server.manual.clock, 60_000)
  await closed
  expect(server.manual.countPendingTimers()).toBe(0)
})

test('a slow request finishes before the deadline, then its connection closes', async () => {
  await using slowSetup = await startSlowServer()
  const { server, handlerStarted, release } = slowSetup
  const socket = openConnection(await server.listen())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(REQUEST)
  await handlerStarted.promise
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  await server.manual.advance(5_000)
  release.resolve()
  await once(socket, 'data')
  const closed = once(socket, 'close')
  await server.manual.advance(500)
  await stopped
  await closed
  expect(received).toMatch(/^HTTP\/1.1 200/)
  expect(received).toContain('["slow"]')
  expect(server.manual.countPendingTimers()).toBe(0)
})

test('closes connections at the deadline', async () => {
  const opened = Promise.withResolvers<void>()
  const streamStopped = Promise.withResolvers<void>()
  await using server = await startTestServer((api) =>
    mountAny(
      api,
      listThings,
      async () =>
        new EventStream(() => {
          opened.resolve()
          return () => streamStopped.resolve()
        }),
    ),
  )
  const socket = openConnection(await server.listen())
  socket.on('error', () => {}).resume()
  socket.write(REQUEST)
  await opened.promise
  const closed = once(socket, 'close')
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  await server.manual.advance(9_999)
  expect(socket.destroyed).toBe(false)
  await server.manual.advance(1)
  await Promise.all([stopped, closed, streamStopped.promise])
  expect(server.manual.countPendingTimers()).toBe(0)
})

test('rejects requests on open connections during shutdown with 503', async () => {
  await using slowSetup = await startSlowServer()
  const { server, handlerStarted, release } = slowSetup
  const socket = openConnection(await server.listen())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(REQUEST)
  await handlerStarted.promise
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  const second = once(server.fastify.server, 'request')
  socket.write(REQUEST)
  await second
  release.resolve()
  await once(socket, 'close')
  await stopped
  const [, rejection = ''] = received.split(/(?=HTTP\/1\.1 503)/)
  expect(rejection).toMatch(/^HTTP\/1\.1 503/)
  expect(rejection.toLowerCase()).toMatch(/retry-after: 1\r\n/)
  expect(rejection.toLowerCase()).toContain('connection: close')
  expect(rejection).toContain('"code":"unavailable"')
})

describe('RouteMethods', () => {
  const routes = new RouteMethods()
  routes.add('/api/things', 'GET')
  routes.add('/api/things', 'POST')
  routes.add('/api/things/{thingId}', 'DELETE')
  routes.add('/api/things/{thingId}/parts', 'PATCH')

  test.each([
    ['/api/things', 'GET, HEAD, POST'],
    ['/api/things/', 'GET, HEAD, POST'],
    ['/api/things/a', 'DELETE'],
    ['/api/things/a/parts', 'PATCH'],
    ['/api/things/a/other', null],
    ['/api', null],
    ['/', null],
    ['', null],
  ])('%s returns %s', (path, allow) => {
    expect(routes.getAllowedMethods(path)).toBe(allow)
  })
})
