import { manualClock } from '@parley/engine/testing/index'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../kernel/errors.ts'
import { COOKIE, operationOf, startAccessServer } from './access-test-kit.ts'
import { createAdmission, createRateLimiter, createSharedRateLimiter, type RateDecision } from './admission.ts'

const OPERATIONS = [
  operationOf('GET', 'read', 'query'),
  operationOf('GET', 'read', 'none'),
  operationOf('GET', 'admin', 'optional'),
  operationOf('GET', 'admin', 'path'),
  operationOf('GET', 'calls', 'inferred'),
  operationOf('POST', 'write', 'body'),
  operationOf('POST', 'account', 'none'),
  operationOf('GET', 'session', 'none'),
  operationOf('POST', 'session', 'none'),
  operationOf('POST', 'public', 'none', '/api/auth/login'),
  operationOf('POST', 'public', 'none', '/api/widgets/chat'),
]
const open = () => startAccessServer(OPERATIONS)
const as = (kind: string, headers: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${kind}`,
  ...headers,
})
const OWN = { origin: 'https://parley.example' }
const FOREIGN = { origin: 'https://evil.example' }

describe('a dashboard session', () => {
  test('reads without an origin and writes from own pages only', async () => {
    await using server = open()
    const write = (headers: Readonly<Record<string, string>>) =>
      server.send('POST /api/write-body', { cookie: COOKIE, ...headers }, { workspaceId: 1 })
    expect((await server.send('GET /api/read-query?workspaceId=1', { cookie: COOKIE })).status).toBe(200)
    expect((await write(OWN)).status).toBe(200)
    expect((await write({ origin: 'http://localhost', host: 'localhost:80' })).status).toBe(200)
    for (const headers of [{}, FOREIGN, { origin: 'null' }]) {
      expect(await write(headers)).toMatchObject({ status: 403, code: 'forbidden' })
    }
  })

  test('is ignored beside a token', async () => {
    await using server = open()
    const both = { cookie: COOKIE, ...as('user') }
    expect((await server.send('GET /api/read-none', both)).body).toMatchObject({ role: 'end_user' })
    expect((await server.send('GET /api/session-none', both)).status).toBe(401)
    for (const authorization of ['Bearer unknown', 'Basic abc', '']) {
      expect((await server.send('GET /api/read-none', { cookie: COOKIE, authorization })).status).toBe(401)
    }
    const write = await server.send('POST /api/write-body', { ...both, ...FOREIGN }, { workspaceId: 1 })
    expect(write.status).toBe(200)
  })

  test('is required by session operations, which reject tokens', async () => {
    await using server = open()
    expect((await server.send('GET /api/session-none', { cookie: COOKIE })).status).toBe(200)
    expect((await server.send('GET /api/session-none', as('platform'))).status).toBe(401)
    expect((await server.send('GET /api/session-none')).status).toBe(401)
    expect((await server.send('POST /api/session-none', { cookie: COOKIE, ...FOREIGN }, {})).status).toBe(403)
  })

  test('is narrowed by context headers', async () => {
    await using server = open()
    const session = (headers: Readonly<Record<string, string>>) =>
      server.send('GET /api/session-none', { cookie: COOKIE, ...headers })
    expect((await session({ 'x-tenant-id': 'south' })).body).toMatchObject({
      accountSid: 'south',
      levels: ['3:account'],
    })
    expect((await session({ 'x-actor-type': 'nobody' })).status).toBe(400)
    expect((await session({ 'x-tenant-id': 'nowhere' })).status).toBe(403)
  })
})

describe('public operations', () => {
  test('for signing in reject foreign pages and accept clients without an origin', async () => {
    await using server = open()
    for (const headers of [{}, OWN]) expect((await server.send('POST /api/auth/login', headers, {})).status).toBe(200)
    for (const origin of ['https://evil.example', 'null']) {
      for (const path of ['/api/auth/login', '/api/v1/auth/login']) {
        expect(await server.send(`POST ${path}`, { origin }, {})).toMatchObject({ status: 403, code: 'forbidden' })
      }
    }
  })

  test('accept every page without an actor', async () => {
    await using server = open()
    const answer = await server.send('POST /api/widgets/chat', { ...FOREIGN, ...as('platform'), cookie: COOKIE }, {})
    expect(answer).toMatchObject({ status: 200, body: { userId: '', role: 'end_user', levels: [] } })
  })
})

describe('rate limits', () => {
  /** Admits one request to a public operation with this shared decision. */
  async function admit(decision: RateDecision, ip = '203.0.113.7') {
    const headers: Record<string, unknown> = {}
    const request = { ip, headers: {}, admitted: null }
    const reply = { header: (name: string, value: unknown) => void Object.assign(headers, { [name]: value }) }
    const asked: string[] = []
    const take = async (key: string): Promise<RateDecision> => {
      asked.push(key)
      return decision
    }
    const rateLimit = { settings: { perSecond: 5, burst: 10 }, take }
    const neverUsed = async (): Promise<never> => {
      throw new Error('a public operation knows nobody')
    }
    const access = { authenticate: neverUsed, readTenantDirectory: neverUsed, renewAccess: neverUsed }
    const dependencies = { ...access, rateLimit, publicHost: null, isPublicHttps: false }
    const admission = createAdmission(dependencies, operationOf('POST', 'public', 'none', '/api/widgets/chat'))
    const outcome = await admission(request as never, reply as never).then(
      () => 'admitted',
      (error: AppError) => [error.code, error.retryAfterMs],
    )
    return { outcome, asked, headers, admitted: request.admitted }
  }

  test('wait for a shared decision', async () => {
    const { outcome, asked, headers } = await admit({ allowed: true, remaining: 4, waitMs: 1_200 })
    expect(outcome).toBe('admitted')
    expect(asked).toEqual(['ip:203.0.113.7'])
    expect(headers).toEqual({ 'ratelimit-limit': 10, 'ratelimit-remaining': 4, 'ratelimit-reset': 2 })
  })

  test('count all addresses of a network together', async () => {
    const { asked } = await admit({ allowed: true, remaining: 4, waitMs: 0 }, '2001:db8:1:2:3:4:5:6')
    expect(asked).toEqual(['ip:2001:db8:1:2::/64'])
  })

  test('apply a shared rejection', async () => {
    const { outcome, headers, admitted } = await admit({ allowed: false, remaining: 0, waitMs: 150 })
    expect(outcome).toEqual(['rate_limited', 150])
    expect(headers).toMatchObject({ 'ratelimit-remaining': 0 })
    expect(admitted).toBeNull()
  })
})

describe('the tenant header', () => {
  test.each([
    ['GET /api/read-query?workspaceId=1', 400],
    ['GET /api/admin-optional', 400],
    ['GET /api/admin-path/1', 400],
    ['GET /api/calls-inferred', 400],
    ['GET /api/read-none', 200],
  ] as const)('is required of privileged roles: %s gets %i', async (line, status) => {
    await using server = open()
    for (const actorType of ['platform_admin', 'provider_admin']) {
      const answer = await server.send(line, as('platform', { 'x-actor-type': actorType }))
      expect([answer.status, answer.code]).toEqual([status, status === 400 ? 'tenant_context_required' : null])
    }
    for (const headers of [
      as('platform'),
      as('platform', { 'x-actor-type': 'end_user' }),
      as('platform', { 'x-actor-type': 'tenant_admin' }),
      as('platform', { 'x-provider-id': 'provider_a' }),
      as('platform', { 'x-actor-type': 'platform_admin', 'x-tenant-id': 'north' }),
    ]) {
      expect((await server.send(line, headers)).status).toBe(200)
    }
  })

  test('must own the workspace', async () => {
    await using server = open()
    const at = (line: string, kind: string) => server.send(line, as(kind, { 'x-tenant-id': 'south' }))
    expect((await at('GET /api/read-query?workspaceId=3', 'provider')).status).toBe(200)
    expect(await at('GET /api/read-query?workspaceId=1', 'provider')).toMatchObject({ code: 'invalid_request' })
    expect(await at('GET /api/admin-path/1', 'platform')).toMatchObject({ code: 'invalid_request' })
    expect(await at('GET /api/read-query?workspaceId=99', 'platform')).toMatchObject({ code: 'workspace_forbidden' })
  })
})

describe('the workspace header', () => {
  test('selects the workspace when the request names none, and must match otherwise', async () => {
    await using server = open()
    const header = { 'x-workspace-id': '1' }
    expect((await server.send('GET /api/read-query', as('user', header))).status).toBe(200)
    expect((await server.send('POST /api/write-body', as('user', header), {})).status).toBe(200)
    expect((await server.send('GET /api/read-query?workspaceId=4', as('user', header))).status).toBe(400)
    expect((await server.send('GET /api/admin-path/4', as('platform', header))).status).toBe(400)
    const inOtherWorkspace = as('user', { 'x-workspace-id': '2' })
    expect(await server.send('GET /api/read-query', inOtherWorkspace)).toMatchObject({ code: 'workspace_forbidden' })
    expect(await server.send('GET /api/read-none', inOtherWorkspace)).toMatchObject({ code: 'workspace_forbidden' })
  })
})

describe('roles and levels', () => {
  test.each([
    ['platform', 'POST /api/account-none', 200],
    ['tenant', 'POST /api/account-none', 200],
    ['user', 'POST /api/account-none', 403],
    ['user', 'GET /api/admin-path/1', 200],
    ['user', 'GET /api/admin-path/4', 403],
    ['tenant', 'GET /api/admin-path/4', 403],
    ['tenant', 'GET /api/admin-path/1', 200],
    ['user', 'GET /api/admin-optional', 200],
    ['user', 'GET /api/admin-optional?workspaceId=4', 403],
    ['user', 'GET /api/admin-optional?workspaceId=2', 403],
  ])('%s at %s: %i', async (kind, line, status) => {
    await using server = open()
    const body = line.startsWith('POST') ? {} : undefined
    expect((await server.send(line, as(kind), body)).status).toBe(status)
  })

  test('an administrator acting as an end user is an admin of its workspaces', async () => {
    await using server = open()
    const headers = as('platform', { 'x-actor-type': 'end_user' })
    expect((await server.send('GET /api/read-none', headers)).body).toMatchObject({
      role: 'end_user',
      levels: ['1:admin', '2:admin', '3:admin', '4:admin'],
    })
    expect((await server.send('GET /api/admin-path/1', headers)).status).toBe(200)
    expect((await server.send('POST /api/account-none', headers, {})).status).toBe(403)
  })

  test('naming the tenant of an inviting workspace gives no rights over the tenant', async () => {
    await using server = open()
    const headers = as('tenant', { 'x-tenant-id': 'west' })
    expect(await server.send('POST /api/account-none', headers, {})).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await server.send('POST /api/write-body', headers, { workspaceId: 4 })).status).toBe(200)
  })
})

test('allows a burst, then rejects until a token is refilled', async () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 2, burst: 3 }, manual.clock)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.remaining)).toEqual([2, 1, 0])
  expect(take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 500 })
  await manual.advance(499)
  expect(take('a').allowed).toBe(false)
  await manual.advance(1)
  expect(take('a').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('never holds more than the burst', async () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 10, burst: 2 }, manual.clock)
  take('a')
  await manual.advance(3_600_000)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.allowed)).toEqual([true, true, false])
})

test.each([0.5, 3, 7, 30, 49, 333])('the reported wait suffices at %d per second', async (perSecond) => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond, burst: 1 }, manual.clock)
  take('a')
  for (let round = 0; round < 50; round += 1) {
    const refused = take('a')
    expect(refused.allowed).toBe(false)
    await manual.advance(refused.waitMs)
    expect(take('a').allowed).toBe(true)
  }
})

test('keys are independent', () => {
  const take = createRateLimiter({ perSecond: 1, burst: 1 }, manualClock().clock)
  expect(take('a').allowed).toBe(true)
  expect(take('b').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('drops the oldest of many new callers', () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 1, burst: 2 }, manual.clock)
  for (let caller = 0; caller < 100_000; caller += 1) take(`ip:${caller}`)
  // The newest callers are still known.
  take('ip:99999')
  expect(take('ip:99999').allowed).toBe(false)
})

test('applies the shared decision of all nodes', async () => {
  const levels = [
    { isTaken: true, tokens: 2.5 },
    { isTaken: false, tokens: 0.25 },
  ]
  const take = createSharedRateLimiter({ perSecond: 2, burst: 3 }, manualClock().clock, {
    take: async () => levels.shift() ?? null,
  })
  expect(await take('a')).toEqual({ allowed: true, remaining: 2, waitMs: 250 })
  expect(await take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 375 })
})

test('falls back to local buckets without a shared decision', async () => {
  const manual = manualClock()
  const take = createSharedRateLimiter({ perSecond: 1, burst: 2 }, manual.clock, { take: async () => null })
  const decisions = [await take('a'), await take('a'), await take('a')]
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  await manual.advance(1_000)
  expect(await take('a')).toMatchObject({ allowed: true, remaining: 0 })
})
