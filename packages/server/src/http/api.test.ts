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

function echoServer(): Promise<TestServer> {
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
    await using server = await echoServer()
    const answer = await post(server, body, url)
    expect(answer.statusCode).toBe(201)
    expect(answer.json().workspaceId).toBe(1)
    expect(answer.headers['x-ignored-fields']).toBeUndefined()
  })

  test.each([
    ['missing', '/api/things', {}, /required/],
    ['different in query and body', '/api/things?workspaceId=1', { workspaceId: 2 }, /same/],
    ['different in two spellings', '/api/things', { workspaceId: 1, workspace_id: 2 }, /different values/],
    ['a word', '/api/things?workspaceId=abc', {}, /integer/],
    ['a word in the body', '/api/things', { workspaceId: 'abc' }, /integer/],
    ['zero', '/api/things', { workspaceId: 0 }, /integer/],
    ['a fraction', '/api/things', { workspaceId: 1.5 }, /integer/],
    ['too large', '/api/things?workspaceId=2147483648', {}, /integer/],
    ['an object', '/api/things', { workspaceId: { a: 1 } }, /integer/],
    ['null', '/api/things', { workspaceId: null }, /integer/],
    ['given twice in the query', '/api/things?workspaceId=1&workspaceId=1', {}, /integer/],
  ])('%s is one problem of a 400', async (_name, url, body, message) => {
    await using server = await echoServer()
    const answer = await post(server, { display_name: 'a', ...body }, url)
    expect(answer.statusCode).toBe(400)
    const { code, details } = answer.json()
    expect(code).toBe('invalid_request')
    expect(details).toEqual([{ path: 'workspaceId', message: expect.stringMatching(message) }])
  })

  test('out of reach gives the same answer whether it exists or not', async () => {
    await using server = await echoServer()
    const [first, second] = await Promise.all([3, 4].map((id) => post(server, { workspaceId: id, display_name: 'a' })))
    expect([first?.statusCode, second?.statusCode]).toEqual([403, 403])
    const strip = (text = '') => text.replace(/req_\d+/, '').replace(/workspace \d/, '')
    expect(first?.json().code).toBe('workspace_forbidden')
    expect(strip(first?.body)).toBe(strip(second?.body))
  })

  test('must match the header', async () => {
    await using server = await echoServer()
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
    ['bytes', { authorization: 'Bearer \xff\x80' }],
  ])('returns 401 with a challenge for %s', async (_name, headers) => {
    await using server = await echoServer()
    const answer = await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.json().code).toBe('unauthorized')
  })

  test('is checked before the body', async () => {
    await using server = await echoServer()
    const headers = { 'content-type': 'application/json' }
    const answer = await server.fastify.inject({ method: 'POST', url: '/api/things', headers, payload: '{"a' })
    expect(answer.statusCode).toBe(401)
  })

  test('returns 403 without the scope', async () => {
    await using server = await echoServer()
    const headers = { authorization: `Bearer ${READER_TOKEN}` }
    expect((await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })).statusCode).toBe(200)
    const answer = await server.fastify.inject({
      method: 'POST',
      url: '/api/things',
      headers,
      payload: { workspaceId: 1 },
    })
    expect(answer.statusCode).toBe(403)
    expect(answer.json()).toMatchObject({ code: 'forbidden', error: expect.stringContaining('"write"') })
  })
})

describe('ignored fields', () => {
  test('are listed in a header, encoded', async () => {
    await using server = await echoServer()
    const body = { workspaceId: 1, display_name: 'a', 'b\r\nX-Evil: 1': 1, цвет: 1, '\ud800': 1, 'a,b': 1 }
    const answer = await post(server, body)
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['x-evil']).toBeUndefined()
    expect(String(answer.headers['x-ignored-fields']).split(', ').map(decodeURIComponent)).toEqual([
      'b\r\nX-Evil: 1',
      'цвет',
      '\ufffd',
      'a,b',
    ])
  })

  test('lists at most 20 names', async () => {
    await using server = await echoServer()
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`u${index}`, 1]))
    const answer = await post(server, { workspaceId: 1, display_name: 'a', ...unknown })
    expect(String(answer.headers['x-ignored-fields']).split(', ')).toHaveLength(20)
  })

  test('lists at most 1 KiB and skips names that are too long', async () => {
    await using server = await echoServer()
    const long = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}${'ж'.repeat(60)}`, 1]))
    const answer = await post(server, { workspaceId: 1, display_name: 'a', ['x'.repeat(5_000)]: 1, ...long, colour: 1 })
    const header = String(answer.headers['x-ignored-fields'])
    expect(Buffer.byteLength(header)).toBeLessThanOrEqual(1024)
    expect(header.split(', ')).toContain('colour')
  })

  test('are listed for queries too', async () => {
    await using server = await echoServer()
    const answer = await server.fastify.inject({ url: '/api/things?workspaceId=1&colour=red', headers: BEARER })
    expect(answer.headers['x-ignored-fields']).toBe('colour')
  })
})

describe('paging', () => {
  function pagingServer(next: { key: string; version: number | null } | null): Promise<TestServer> {
    return startTestServer((api) =>
      mountAny(api, listThings, async (_input, context) => {
        context.setNextPage(next)
        return []
      }),
    )
  }

  test('keeps the query in the link', async () => {
    await using server = await pagingServer({ key: 'k2', version: 7 })
    const url = '/api/v1/things?workspace_id=1&pagination_key=k1&pagination-key-version=6&search=a?b%26c&limit=5'
    const answer = await server.fastify.inject({ url, headers: BEARER })
    expect(answer.headers).toMatchObject({
      'x-has-more': 'true',
      'x-next-pagination-key': 'k2',
      'x-next-pagination-key-version': '7',
    })
    const match = /^<([^>]*)>; rel="next"$/.exec(String(answer.headers['link']))
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
    await using server = await pagingServer(null)
    const answer = await server.fastify.inject({ url: '/api/things?workspaceId=1', headers: BEARER })
    expect(answer.headers['x-has-more']).toBe('false')
    expect(answer.headers['link']).toBeUndefined()
  })

  test('HEAD returns the headers of GET without a body', async () => {
    await using server = await pagingServer({ key: 'k2', version: null })
    const answer = await server.fastify.inject({ method: 'HEAD', url: '/api/things?workspaceId=1', headers: BEARER })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe('')
    expect(answer.headers).toMatchObject({ 'x-has-more': 'true', 'content-length': '2' })
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
    let seen: number | null | undefined
    await using server = await startTestServer((api) =>
      mountAny(api, removeThing, async (_input, context) => {
        seen = context.ifMatch
        context.setEtag(4)
        return undefined
      }),
    )
    const headers = header === undefined ? BEARER : { ...BEARER, 'if-match': header }
    const answer = await server.fastify.inject({ method: 'DELETE', url: '/api/things/a?workspaceId=1', headers })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['etag']).toBe('"4"')
    expect(seen).toBe(expected)
  })
})

describe('rate limits', () => {
  function limitedServer(perSecond: number, burst: number): Promise<TestServer> {
    return startTestServer((api) => mountAny(api, listThings, echo), { perSecond, burst })
  }

  async function list(server: TestServer, token = TOKEN) {
    const headers = { authorization: `Bearer ${token}` }
    return await server.fastify.inject({ url: '/api/things?workspaceId=1', headers })
  }

  test('are sent in headers and return 429 until the reset', async () => {
    await using server = await limitedServer(1, 2)
    const first = await list(server)
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' })
    await list(server)
    const refused = await list(server)
    expect(refused.statusCode).toBe(429)
    expect(refused.json().code).toBe('rate_limited')
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' })
    await server.manual.advance(1000)
    expect((await list(server)).statusCode).toBe(200)
  })

  test('count per token, not per address', async () => {
    await using server = await limitedServer(1, 1)
    expect((await list(server)).statusCode).toBe(200)
    expect((await list(server)).statusCode).toBe(429)
    expect((await list(server, READER_TOKEN)).statusCode).toBe(200)
    expect((await list(server, 'sk_unknown')).statusCode).toBe(401)
    expect((await list(server, 'sk_guess')).statusCode).toBe(429)
  })

  test('are off at 0', async () => {
    await using server = await limitedServer(0, 1)
    for (let request = 0; request < 5; request += 1) {
      const answer = await list(server)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['ratelimit-limit']).toBeUndefined()
    }
  })
})
