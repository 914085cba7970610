import { DatabaseSync } from 'node:sqlite'
import { describe, expect } from 'vitest'
import { fieldTypes } from '../../testing/field-types.ts'
import { runServer } from '../../testing/running-server.ts'
import { bodyOf, read, send, test } from '../../testing/server-test.ts'

describe('workspaces', () => {
  test('are listed under both prefixes with every field', async ({ server }) => {
    for (const path of ['/api/workspaces', '/api/v1/workspaces']) {
      const { status, headers, body } = await server.call<{ workspaces: object[] }>('GET', path)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{26}$/)
      expect(Object.keys(body)).toEqual(['workspaces'])
      expect(body.workspaces.map(fieldTypes)).toEqual([
        {
          id: 'integer',
          name: 'string',
          accountSid: 'string',
          accountPath: 'string',
          nativeTransferEnabled: 'boolean',
        },
      ])
      expect(body.workspaces[0]).toMatchObject({
        accountSid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        accountPath: expect.stringMatching(/^\/[^/]+\/[^/]+$/),
      })
    }
  })
})

describe('voices', () => {
  test('are listed with every field', async ({ server }) => {
    for (const path of ['/api/voices', '/api/v1/voices']) {
      const { status, headers, body } = await read<object[]>(server, path)
      expect(status).toBe(200)
      expect(headers.get('x-has-more')).toBe('false')
      expect(body.length).toBeGreaterThan(0)
      for (const voice of body) {
        expect(fieldTypes(voice)).toEqual({
          voiceId: 'string',
          name: 'string',
          gender: 'string',
          language: 'string',
          accent: 'string',
          description: 'string',
          provider: 'string',
          previewUrl: 'null',
          playbackOverrideUrl: 'null',
          tags: 'array',
          createdAt: 'date-time',
          updatedAt: 'date-time',
        })
      }
    }
  })

  test('are paged without loss or repetition', async ({ server }) => {
    const all = await bodyOf(200, read<{ voiceId: string }[]>(server, '/api/voices'))
    const seen: string[] = []
    let query: Record<string, string | number> = { limit: 1 }
    for (;;) {
      const { body, headers } = await read<{ voiceId: string }[]>(server, '/api/voices', query)
      seen.push(...body.map((voice) => voice.voiceId))
      if (headers.get('x-has-more') === 'false') break
      query = { limit: 1, pagination_key: headers.get('x-next-pagination-key') ?? '' }
    }
    expect(seen).toEqual(all.map((voice) => voice.voiceId))
  })
})

describe('concurrency', () => {
  test('has four integers', async ({ server }) => {
    for (const path of ['/api/concurrency', '/api/v1/concurrency']) {
      const body = await bodyOf(200, read(server, path))
      expect(fieldTypes(body)).toEqual({
        maxConcurrent: 'integer',
        currentUsage: 'integer',
        purchasedConcurrency: 'integer',
        concurrencyPurchaseLimit: 'integer',
      })
      expect(body).toMatchObject({ maxConcurrent: 20, currentUsage: 0, purchasedConcurrency: 0 })
    }
  })
})

describe('the signing secret', () => {
  test('is read, rotated and then stands beside the old one for a day', async ({ server }) => {
    const before = await bodyOf(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(before.secrets.map(fieldTypes)).toEqual([
      { secretId: 'string', secret: 'string', createdAt: 'date-time', expiresAt: 'null' },
    ])
    expect(before.secrets[0]?.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    const rotated = await bodyOf(
      200,
      send<{ secrets: { secret: string; expiresAt: string | null }[] }>(server, 'POST', '/api/signing-secret/rotate'),
    )
    const [fresh, old] = rotated.secrets
    expect(rotated.secrets).toHaveLength(2)
    expect(fresh?.expiresAt).toBeNull()
    expect(old?.secret).toBe(before.secrets[0]?.secret)
    const leftMs = Date.parse(old?.expiresAt ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(23.9 * 3_600_000)
    expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000)
    expect(await bodyOf(200, read(server, '/api/v1/signing-secret'))).toEqual(rotated)
  })
})

describe('errors', () => {
  const form = {
    error: expect.any(String),
    code: expect.any(String),
    status: expect.any(Number),
    details: expect.any(Array),
    requestId: expect.stringMatching(/^req_[0-9a-f]{26}$/),
  }

  test.for<
    [string, { method: string; path: string; headers?: Record<string, string>; body?: unknown }, number, string]
  >([
    ['no token', { method: 'GET', path: '/api/workspaces', headers: { authorization: '' } }, 401, 'unauthorized'],
    [
      'another token',
      { method: 'GET', path: '/api/workspaces', headers: { authorization: 'Bearer sk_no' } },
      401,
      'unauthorized',
    ],
    ['no workspace', { method: 'GET', path: '/api/agents' }, 400, 'invalid_request'],
    ['a workspace out of reach', { method: 'GET', path: '/api/agents?workspaceId=999' }, 403, 'workspace_forbidden'],
    ['an unknown id', { method: 'GET', path: '/api/agents/agent_no?workspaceId=1' }, 404, 'not_found'],
    ['an unknown path', { method: 'GET', path: '/api/nothing' }, 404, 'not_found'],
    ['another method', { method: 'PUT', path: '/api/agents', body: {} }, 405, 'method_not_allowed'],
    ['truncated JSON', { method: 'POST', path: '/api/v1/llms', body: '{"workspaceId": 1' }, 400, 'invalid_request'],
    ['an array', { method: 'POST', path: '/api/v1/llms?workspaceId=1', body: [] }, 400, 'invalid_request'],
    [
      'another media type',
      {
        method: 'POST',
        path: '/api/v1/llms',
        body: 'a=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      415,
      'unsupported_media_type',
    ],
    [
      'too large a body',
      { method: 'POST', path: '/api/agents', body: `"${'x'.repeat(1_100_000)}"` },
      413,
      'payload_too_large',
    ],
    ['too long a URL', { method: 'GET', path: `/api/agents?workspaceId=1&x=${'y'.repeat(9000)}` }, 414, 'uri_too_long'],
    ['no version', { method: 'GET', path: '/api/agents/agent_no?workspaceId=1&version=0' }, 400, 'invalid_request'],
    [
      'two workspaces',
      { method: 'POST', path: '/api/v1/llms?workspaceId=1', body: { workspaceId: 2 } },
      400,
      'invalid_request',
    ],
    [
      'twins that disagree',
      { method: 'POST', path: '/api/v1/llms', body: { workspaceId: 1, display_name: 'a', displayName: 'b' } },
      400,
      'invalid_request',
    ],
  ])('of %s have the one form', async ([, { method, path, ...options }, status, code], { server }) => {
    const answer = await server.call(method, path, options)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ ...form, code, status })
    expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId)
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  test('of call routes say that there was no success', async ({ server }) => {
    const { status, body } = await server.call('GET', '/api/v1/calls/call_none')
    expect(status).toBe(404)
    expect(body).toEqual({ ...form, success: false })
  })

  test('tell all problems at once, each with its path', async ({ server }) => {
    const { status, body } = await send<{ details: { path: string }[] }>(server, 'POST', '/api/v1/llms', {
      model: 7,
      responsiveness: 'hasty',
      general_tools: [{ type: 'end_call', name: 'a b' }, { type: 'custom', name: 'x', url: 'ftp://x' }, { type: 'no' }],
    })
    expect(status).toBe(400)
    expect(body.details.map(({ path }) => path).sort()).toEqual([
      'general_tools[0].name',
      'general_tools[1].url',
      'general_tools[2].type',
      'model',
      'responsiveness',
    ])
  })
})

test('whoever asks too often is told when to come back, and nobody else is', async () => {
  await using server = await runServer({ env: { RATE_LIMIT_PER_SECOND: '0.5', RATE_LIMIT_BURST: '4' } })
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.call('GET', '/api/workspaces')))
  const refused = answers.filter(({ status }) => status === 429)
  // One of the four went when the server was asked for its workspace.
  expect(refused).toHaveLength(5)
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(headers.get('ratelimit-limit')).toBe('4')
    expect(headers.get('ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1)
  }
  expect((await server.call('GET', '/api/workspaces', { headers: { authorization: '' } })).status).toBe(401)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
})

test('the workspace of the header must be the one of the request', async ({ server }) => {
  const header = (value: string) => ({
    headers: { 'x-workspace-id': value },
    query: { workspaceId: server.workspaceId },
  })
  expect((await server.call('GET', '/api/agents', header(String(server.workspaceId)))).status).toBe(200)
  expect((await server.call('GET', '/api/agents', header('2'))).status).toBe(400)
})

test('a live lease counts as a call, a lapsed one does not', async () => {
  await using server = await runServer()
  await server.stop()
  const database = new DatabaseSync(`${server.dataDirectory}/parley.db`)
  const insert = database.prepare(
    'insert into leases (lease_id, workspace_id, holder, expires_at, created_at) values (?, 1, ?, ?, ?)',
  )
  insert.run('lease_a', 'x', Date.now() + 600_000, Date.now())
  insert.run('lease_b', 'x', Date.now() - 1, Date.now() - 1000)
  database.close()
  await server.start()
  expect(await bodyOf(200, read(server, '/api/concurrency'))).toMatchObject({ maxConcurrent: 20, currentUsage: 1 })
})
