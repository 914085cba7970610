import { createManualClock } from '@parley/engine/testing/index'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../kernel/errors.ts'
import { buildOperation, COOKIE, startAccessServer } from './access-test-kit.ts'
import { createAdmission, createRateLimiter, createSharedRateLimiter, type RateDecision } from './admission.ts'

const OPERATIONS = [
  buildOperation('GET', 'read', 'query'),
  buildOperation('GET', 'read', 'none'),
  buildOperation('GET', 'admin', 'optional'),
  buildOperation('GET', 'admin', 'path'),
  buildOperation('GET', 'calls', 'inferred'),
  buildOperation('POST', 'write', 'body'),
  buildOperation('POST', 'account', 'none'),
  buildOperation('GET', 'session', 'none'),
  buildOperation('POST', 'session', 'none'),
  buildOperation('POST', 'public', 'none', '/api/auth/login'),
  buildOperation('POST', 'public', 'none', '/api/widgets/chat'),
]
const startServer = () => startAccessServer(OPERATIONS)
const authorizeAs = (kind: string, headers: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${kind}`,
  ...headers,
})
const OWN_ORIGIN = { origin: 'https://parley.example' }
const FOREIGN_ORIGIN = { origin: 'https://evil.example' }

describe('a dashboard session', () => {
  test('reads without an origin and writes from own pages only', async () => {
    await using server = startServer()
    const write = (headers: Readonly<Record<string, string>>) =>
      server.send('POST /api/write-body', { cookie: COOKIE, ...headers }, { workspaceId: 1 })
    expect((await server.send('GET /api/read-query?workspaceId=1', { cookie: COOKIE })).status).toBe(200)
    expect((await write(OWN_ORIGIN)).status).toBe(200)
    expect((await write({ origin: 'http://localhost', host: 'localhost:80' })).status).toBe(200)
    for (const headers of [{}, FOREIGN_ORIGIN, { origin: 'null' }]) {
      expect(await write(headers)).toMatchObject({ status: 403, code: 'forbidden' })
    }
  })

  test('is ignored if a token is sent', async () => {
    await using server = startServer()
    const credentials = { cookie: COOKIE, ...authorizeAs('user') }
    expect((await server.send('GET /api/read-none', credentials)).body).toMatchObject({ role: 'end_user' })
    expect((await server.send('GET /api/session-none', credentials)).status).toBe(401)
    for (const authorization of ['Bearer unknown', 'Basic abc', '']) {
      expect((await server.send('GET /api/read-none', { cookie: COOKIE, authorization })).status).toBe(401)
    }
    const write = await server.send('POST /api/write-body', { ...credentials, ...FOREIGN_ORIGIN }, { workspaceId: 1 })
    expect(write.status).toBe(200)
  })

  test('is required by session operations, which reject tokens', async () => {
    await using server = startServer()
    expect((await server.send('GET /api/session-none', { cookie: COOKIE })).status).toBe(200)
    expect((await server.send('GET /api/session-none', authorizeAs('platform'))).status).toBe(401)
    expect((await server.send('GET /api/session-none')).status).toBe(401)
    expect((await server.send('POST /api/session-none', { cookie: COOKIE, ...FOREIGN_ORIGIN }, {})).status).toBe(403)
  })

  test('is narrowed by context headers', async () => {
    await using server = startServer()
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
    await using server = startServer()
    for (const headers of [{}, OWN_ORIGIN])
      expect((await server.send('POST /api/auth/login', headers, {})).status).toBe(200)
    for (const origin of ['https://evil.example', 'null']) {
      for (const path of ['/api/auth/login', '/api/v1/auth/login']) {
        expect(await server.send(`POST ${path}`, { origin }, {})).toMatchObject({ status: 403, code: 'forbidden' })
      }
    }
  })

  test('accept every page without an actor', async () => {
    await using server = startServer()
    const response = await server.send(
      'POST /api/widgets/chat',
      { ...FOREIGN_ORIGIN, ...authorizeAs('platform'), cookie: COOKIE },
      {},
    )
    expect(response).toMatchObject({ status: 200, body: { userId: '', role: 'end_user', levels: [] } })
  })
})

describe('rate limits', () => {
  /** Admits one request to a public operation with this shared decision. */
  async function admit(decision: RateDecision, ip = '203.0.113.7') {
    const headers: Record<string, unknown> = {}
    const request = { ip, headers: {}, admitted: null }
    const reply = { header: (name: string, value: unknown) => void Object.assign(headers, { [name]: value }) }
    const requestedKeys: string[] = []
    const take = async (key: string): Promise<RateDecision> => {
      requestedKeys.push(key)
      return decision
    }
    const rateLimit = { settings: { perSecond: 5, burst: 10 }, take }
    const failIfCalled = async (): Promise<never> => {
      throw new Error('a public operation has no actor')
    }
    const access = { authenticate: failIfCalled, readTenantDirectory: failIfCalled, renewAccess: failIfCalled }
    const dependencies = { ...access, rateLimit, publicHost: null, isPublicHttps: false }
    const admission = createAdmission(dependencies, buildOperation('POST', 'public', 'none', '/api/widgets/chat'))
    const outcome = await admission(request as never, reply as never).then(
      () => 'admitted',
      (error: AppError) => [error.code, error.retryAfterMs],
    )
    return { outcome, requestedKeys, headers, admitted: request.admitted }
  }

  test('wait for a shared decision', async () => {
    const { outcome, requestedKeys, headers } = await admit({ allowed: true, remaining: 4, waitMs: 1_200 })
    expect(outcome).toBe('admitted')
    expect(requestedKeys).toEqual(['ip:203.0.113.7'])
    expect(headers).toEqual({ 'ratelimit-limit': 10, 'ratelimit-remaining': 4, 'ratelimit-reset': 2 })
  })

  test('count all addresses of a network together', async () => {
    const { requestedKeys } = await admit({ allowed: true, remaining: 4, waitMs: 0 }, '2001:db8:1:2:3:4:5:6')
    expect(requestedKeys).toEqual(['ip:2001:db8:1:2::/64'])
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
    await using server = startServer()
    for (const actorType of ['platform_admin', 'provider_admin']) {
      const response = await server.send(line, authorizeAs('platform', { 'x-actor-type': actorType }))
      expect([response.status, response.code]).toEqual([status, status === 400 ? 'tenant_context_required' : null])
    }
    for (const headers of [
      authorizeAs('platform'),
      authorizeAs('platform', { 'x-actor-type': 'end_user' }),
      authorizeAs('platform', { 'x-actor-type': 'tenant_admin' }),
      authorizeAs('platform', { 'x-provider-id': 'provider_a' }),
      authorizeAs('platform', { 'x-actor-type': 'platform_admin', 'x-tenant-id': 'north' }),
    ]) {
      expect((await server.send(line, headers)).status).toBe(200)
    }
  })

  test('must own the workspace', async () => {
    await using server = startServer()
    const sendAsTenant = (line: string, kind: string) =>
      server.send(line, authorizeAs(kind, { 'x-tenant-id': 'south' }))
    expect((await sendAsTenant('GET /api/read-query?workspaceId=3', 'provider')).status).toBe(200)
    expect(await sendAsTenant('GET /api/read-query?workspaceId=1', 'provider')).toMatchObject({
      code: 'invalid_request',
    })
    expect(await sendAsTenant('GET /api/admin-path/1', 'platform')).toMatchObject({ code: 'invalid_request' })
    expect(await sendAsTenant('GET /api/read-query?workspaceId=99', 'platform')).toMatchObject({
      code: 'workspace_forbidden',
    })
  })
})

describe('the workspace header', () => {
  test('selects the workspace unless the request names one, which must match', async () => {
    await using server = startServer()
    const header = { 'x-workspace-id': '1' }
    expect((await server.send('GET /api/read-query', authorizeAs('user', header))).status).toBe(200)
    expect((await server.send('POST /api/write-body', authorizeAs('user', header), {})).status).toBe(200)
    expect((await server.send('GET /api/read-query?workspaceId=4', authorizeAs('user', header))).status).toBe(400)
    expect((await server.send('GET /api/admin-path/4', authorizeAs('platform', header))).status).toBe(400)
    const inOtherWorkspace = authorizeAs('user', { 'x-workspace-id': '2' })
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
  ])('%1$s gets %3$i for %2$s', async (kind, line, status) => {
    await using server = startServer()
    const body = line.startsWith('POST') ? {} : undefined
    expect((await server.send(line, authorizeAs(kind), body)).status).toBe(status)
  })

  test('an administrator acting as an end user is an admin of its workspaces', async () => {
    await using server = startServer()
    const headers = authorizeAs('platform', { 'x-actor-type': 'end_user' })
    expect((await server.send('GET /api/read-none', headers)).body).toMatchObject({
      role: 'end_user',
      levels: ['1:admin', '2:admin', '3:admin', '4:admin'],
    })
    expect((await server.send('GET /api/admin-path/1', headers)).status).toBe(200)
    expect((await server.send('POST /api/account-none', headers, {})).status).toBe(403)
  })

  test('naming the tenant of an inviting workspace gives no rights over the tenant', async () => {
    await using server = startServer()
    const headers = authorizeAs('tenant', { 'x-tenant-id': 'west' })
    expect(await server.send('POST /api/account-none', headers, {})).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await server.send('POST /api/write-body', headers, { workspaceId: 4 })).status).toBe(200)
  })
})

test('allows a burst, then rejects until a token is refilled', async () => {
  const manual = createManualClock()
  const take = createRateLimiter({ perSecond: 2, burst: 3 }, manual.clock)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.remaining)).toEqual([2, 1, 0])
  expect(take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 500 })
  await manual.advance(499)
  expect(take('a').allowed).toBe(false)
  await manual.advance(1)
  expect(take('a').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('never exceeds the burst', async () => {
  const manual = createManualClock()
  const take = createRateLimiter({ perSecond: 10, burst: 2 }, manual.clock)
  take('a')
  await manual.advance(3_600_000)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.allowed)).toEqual([true, true, false])
})

test.each([0.5, 3, 7, 30, 49, 333])('the reported wait is sufficient at %d per second', async (perSecond) => {
  const manual = createManualClock()
  const take = createRateLimiter({ perSecond, burst: 1 }, manual.clock)
  take('a')
  for (let round = 0; round < 50; round += 1) {
    const rejected = take('a')
    expect(rejected.allowed).toBe(false)
    await manual.advance(rejected.waitMs)
    expect(take('a').allowed).toBe(true)
  }
})

test('keys are independent', () => {
  const take = createRateLimiter({ perSecond: 1, burst: 1 }, createManualClock().clock)
  expect(take('a').allowed).toBe(true)
  expect(take('b').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('drops the oldest of many callers', () => {
  const manual = createManualClock()
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
  const take = createSharedRateLimiter({ perSecond: 2, burst: 3 }, createManualClock().clock, {
    take: async () => levels.shift() ?? null,
  })
  expect(await take('a')).toEqual({ allowed: true, remaining: 2, waitMs: 250 })
  expect(await take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 375 })
})

test('falls back to local buckets without a shared decision', async () => {
  const manual = createManualClock()
  const take = createSharedRateLimiter({ perSecond: 1, burst: 2 }, manual.clock, { take: async () => null })
  const decisions = [await take('a'), await take('a'), await take('a')]
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  await manual.advance(1_000)
  expect(await take('a')).toMatchObject({ allowed: true, remaining: 0 })
})
