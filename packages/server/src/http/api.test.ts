import { describe, expect, test } from 'vitest'
import {
  BEARER,
  createThing,
  listThings,
  mountAny,
  READER_TOKEN,
  removeThing,
  startTestServer,
  type TestServer,
  TOKEN,
} from './http-test-kit.ts'

const echo = async (input: unknown, context: { workspaceId: number }) => ({ input, workspaceId: context.workspaceId })

function startEchoServer(): Promise<TestServer> {
  return startTestServer((api) => {
    mountAny(api, createThing, echo)
    mountAny(api, listThings, echo)
    mountAny(api, removeThing, async () => undefined)
  })
}

async function post(server: TestServer, body: object, url = '/api/things') {
  return await server.fastify.inject({ method: 'POST', url, headers: BEARER, payload: body })
}

describe('workspace of a request', () => {
  test.each([
    ['in the body', '/api/things', { workspaceId: 1, display_name: 'a' }],
    ['in the body in snake case', '/api/things', { workspace_id: 1, display_name: 'a' }],
    ['in the query', '/api/things?workspaceId=1', { display_name: 'a' }],
    ['in the query in kebab case', '/api/v1/things?workspace-id=1', { display_name: 'a' }],
    ['in both', '/api/things?workspace_id=1', { workspaceId: 1, display_name: 'a' }],
  ])('is read from %s', async (_name, url, body) => {
    await using server = await startEchoServer()
    const response = await post(server, body, url)
    expect(response.statusCode).toBe(201)
    expect(response.json().workspaceId).toBe(1)
    expect(response.headers['x-ignored-fields']).toBeUndefined()
  })

  test.each([
    ['missing', '/api/things', {}, /required/],
    ['different in query and body', '/api/things?workspaceId=1', { workspaceId: 2 }, /same/],
    ['different in two spellings', '/api/things', { workspaceId: 1, workspace_id: 2 }, /different values/],
    ['not a number', '/api/things?workspaceId=abc', {}, /integer/],
    ['not a number in the body', '/api/things', { workspaceId: 'abc' }, /integer/],
    ['zero', '/api/things', { workspaceId: 0 }, /integer/],
    ['a fraction', '/api/things', { workspaceId: 1.5 }, /integer/],
    ['too large', '/api/things?workspaceId=2147483648', {}, /integer/],
    ['an object', '/api/things', { workspaceId: { a: 1 } }, /integer/],
    ['null', '/api/things', { workspaceId: null }, /integer/],
    ['given twice in the query', '/api/things?workspaceId=1&workspaceId=1', {}, /integer/],
  ])('returns 400 with one problem when %s', async (_name, url, body, message) => {
    await using server = await startEchoServer()
    const response = await post(server, { display_name: 'a', ...body }, url)
    expect(response.statusCode).toBe(400)
    const { code, details } = response.json()
    expect(code).toBe('invalid_request')
    expect(details).toEqual([{ path: 'workspaceId', message: expect.stringMatching(message) }])
  })

  test('returns the same error for an inaccessible and an unknown id', async () => {
    await using server = await startEchoServer()
    const [first, second] = await Promise.all([3, 4].map((id) => post(server, { workspaceId: id, display_name: 'a' })))
    expect([first?.statusCode, second?.statusCode]).toEqual([403, 403])
    const removeIds = (text = '') => text.replace(/req_\d+/, '').replace(/workspace \d/, '')
    expect(first?.json().code).toBe('workspace_forbidden')
    expect(removeIds(first?.body)).toBe(removeIds(second?.body))
  })

  test('must match the header', async () => {
    await using server = await startEchoServer()
    const send = (header: string) =>
      server.fastify.inject({ url: '/api/things?workspaceId=1', headers: { ...BEARER, 'x-workspace-id': header } })
    expect((await send('1')).statusCode).toBe(200)
    for (const header of ['2', 'abc', '1, 1', '\xff']) expect((await send(header)).statusCode).toBe(400)
  })
})

describe('access', () => {
  test.each([
    ['no header', {}],
    ['an unknown token', { authorization: 'Bearer sk_unknown' }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['invalid bytes', { authorization: 'Bearer \xff\x80' }],
  ])('returns 401 with a challenge for %s', async (_name, headers) => {
    await using server = await startEchoServer()
    const response = await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(response.json().code).toBe('unauthorized')
  })

  test('is checked before the body', async () => {
    await using server = await startEchoServer()
    const headers = { 'content-type': 'application/json' }
    const response = await server.fastify.inject({ method: 'POST', url: '/api/things', headers, payload: '{"a' })
    expect(response.statusCode).toBe(401)
  })

  test('returns 403 without the scope', async () => {
    await using server = await startEchoServer()
    const headers = { authorization: `Bearer ${READER_TOKEN}` }
    expect((await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })).statusCode).toBe(200)
    const response = await server.fastify.inject({
      method: 'POST',
      url: '/api/things',
      headers,
      payload: { workspaceId: 1 },
    })
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'forbidden', error: expect.stringContaining('"write"') })
  })
})

describe('ignored fields', () => {
  test('are listed encoded in a header', async () => {
    await using server = await startEchoServer()
    const body = { workspaceId: 1, display_name: 'a', 'b\r\nX-Evil: 1': 1, цвет: 1, '\ud800': 1, 'a,b': 1 }
    const response = await post(server, body)
    expect(response.statusCode).toBe(201)
    expect(response.headers['x-evil']).toBeUndefined()
    expect(String(response.headers['x-ignored-fields']).split(', ').map(decodeURIComponent)).toEqual([
      'b\r\nX-Evil: 1',
      'цвет',
      '\ufffd',
      'a,b',
    ])
  })

  test('are limited to 20 names', async () => {
    await using server = await startEchoServer()
    const unknownFields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`u${index}`, 1]))
    const response = await post(server, { workspaceId: 1, display_name: 'a', ...unknownFields })
    expect(String(response.headers['x-ignored-fields']).split(', ')).toHaveLength(20)
  })

  test('are limited to 1 KiB and skip names that are too long', async () => {
    await using server = await startEchoServer()
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}${'ж'.repeat(60)}`, 1]))
    const response = await post(server, {
      workspaceId: 1,
      display_name: 'a',
      ['x'.repeat(5_000)]: 1,
      ...fields,
      colour: 1,
    })
    const header = String(response.headers['x-ignored-fields'])
    expect(Buffer.byteLength(header)).toBeLessThanOrEqual(1024)
    expect(header.split(', ')).toContain('colour')
  })

  test('are listed for queries too', async () => {
    await using server = await startEchoServer()
    const response = await server.fastify.inject({ url: '/api/things?workspaceId=1&colour=red', headers: BEARER })
    expect(response.headers['x-ignored-fields']).toBe('colour')
  })
})

describe('paging', () => {
  function startPagingServer(next: { key: string; version: number | null } | null): Promise<TestServer> {
    return startTestServer((api) =>
      mountAny(api, listThings, async (_input, context) => {
        context.setNextPage(next)
        return []
      }),
    )
  }

  test('keeps the query in the link', async () => {
    await using server = await startPagingServer({ key: 'k2', version: 7 })
    const url = '/api/v1/things?workspace_id=1&pagination_key=k1&pagination-key-version=6&search=a?b%26c&limit=5'
    const response = await server.fastify.inject({ url, headers: BEARER })
    expect(response.headers).toMatchObject({
      'x-has-more': 'true',
      'x-next-pagination-key': 'k2',
      'x-next-pagination-key-version': '7',
    })
    const match = /^<([^>]*)>; rel="next"$/.exec(String(response.headers['link']))
    const next = new URL(match?.[1] ?? '', 'http://host')
    expect(next.pathname).toBe('/api/v1/things')
    expect(Object.fromEntries(next.searchParams)).toEqual({
      workspace_id: '1',
      search: 'a?b&c',
      limit: '5',
      paginationKey: 'k2',
      paginationKeyVersion: '7',
    })
  })

  test('has no link on the last page', async () => {
    await using server = await startPagingServer(null)
    const response = await server.fastify.inject({ url: '/api/things?workspaceId=1', headers: BEARER })
    expect(response.headers['x-has-more']).toBe('false')
    expect(response.headers['link']).toBeUndefined()
  })

  test('HEAD returns the headers of GET without a body', async () => {
    await using server = await startPagingServer({ key: 'k2', version: null })
    const response = await server.fastify.inject({ method: 'HEAD', url: '/api/things?workspaceId=1', headers: BEARER })
    expect(response.statusCode).toBe(200)
    expect(response.body).toBe('')
    expect(response.headers).toMatchObject({ 'x-has-more': 'true', 'content-length': '2' })
  })
})

describe('edit counts', () => {
  test.each([
    [undefined, null],
    ['*', null],
    [' * ', null],
    ['"3"', 3],
    ['W/"3"', 3],
    ['3', -1],
    ['"abc"', -1],
    ['"1", "2"', -1],
    ['"9999999999999999999"', -1],
    ['', -1],
    ['\xff', -1],
  ])('reads If-Match %j as %j', async (header, expected) => {
    let ifMatch: number | null | undefined
    await using server = await startTestServer((api) =>
      mountAny(api, removeThing, async (_input, context) => {
        ifMatch = context.ifMatch
        context.setEtag(4)
        return undefined
      }),
    )
    const headers = header === undefined ? BEARER : { ...BEARER, 'if-match': header }
    const response = await server.fastify.inject({ method: 'DELETE', url: '/api/things/a?workspaceId=1', headers })
    expect(response.statusCode).toBe(204)
    expect(response.headers['etag']).toBe('"4"')
    expect(ifMatch).toBe(expected)
  })
})

describe('rate limits', () => {
  function startLimitedServer(perSecond: number, burst: number): Promise<TestServer> {
    return startTestServer((api) => mountAny(api, listThings, echo), { perSecond, burst })
  }

  async function listPage(server: TestServer, token = TOKEN) {
    const headers = { authorization: `Bearer ${token}` }
    return await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })
  }

  test('are sent in headers and return 429 until the reset', async () => {
    await using server = await startLimitedServer(1, 2)
    const first = await listPage(server)
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' })
    await listPage(server)
    const rejected = await listPage(server)
    expect(rejected.statusCode).toBe(429)
    expect(rejected.json().code).toBe('rate_limited')
    expect(rejected.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' })
    await server.manual.advance(1000)
    expect((await listPage(server)).statusCode).toBe(200)
  })

  test('count per token, not per address', async () => {
    await using server = await startLimitedServer(1, 1)
    expect((await listPage(server)).statusCode).toBe(200)
    expect((await listPage(server)).statusCode).toBe(429)
    expect((await listPage(server, READER_TOKEN)).statusCode).toBe(200)
    expect((await listPage(server, 'sk_unknown')).statusCode).toBe(401)
    expect((await listPage(server, 'sk_guess')).statusCode).toBe(429)
  })

  test('are off at 0', async () => {
    await using server = await startLimitedServer(0, 1)
    for (let request = 0; request < 5; request += 1) {
      const response = await listPage(server)
      expect(response.statusCode).toBe(200)
      expect(response.headers['ratelimit-limit']).toBeUndefined()
    }
  })
})
