import type { ActorRole } from '@parley/contract/access'
import { describe, expect, test } from 'vitest'
import { SEEDED_TENANT } from '../../../../../testing/seed-workspaces.ts'
import { OTHER_RESELLER, OTHER_TENANT_SID, openAccessRoutes } from '../access/access-routes-test-kit.ts'
import { type AuditService, createAuditService, registerAuditRoutes } from './audit-service.ts'
import type { AuditEntry } from './audit-trail.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function open() {
  const opened: { service: AuditService | null } = { service: null }
  const server = await openAccessRoutes((api, { database, clock }) => {
    opened.service = createAuditService(database, clock)
    registerAuditRoutes(api, opened.service)
  })
  return {
    ...server,
    sweep: () => opened.service?.sweep(),
    async record(operation: string, given: Partial<AuditEntry> = {}): Promise<void> {
      await server.audit.record({
        userId: 'somebody',
        credentialId: 'token_x',
        actorRole: 'end_user',
        operation,
        target: {},
        workspaceId: null,
        accountSid: null,
        providerId: null,
        context: null,
        status: 200,
        requestId: 'req_x',
        ip: '203.0.113.7',
        ...given,
      })
    },
    /** Returns the operations of the entries that a caller can see. */
    async seen(headers: Readonly<Record<string, string>>, query = ''): Promise<string[]> {
      const { status, body } = await server.send(`GET /api/audit-log${query}`, headers)
      return status === 200 ? body.map((entry: { operation: string }) => entry.operation) : [`${status} ${body.code}`]
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Writes one entry for each kind of location. */
async function fill({ record }: Opened): Promise<void> {
  await record('nowhere')
  await record('inOne', { workspaceId: 1, accountSid: SEEDED_TENANT })
  await record('inTwo', { workspaceId: 2, accountSid: SEEDED_TENANT })
  await record('inTenant', { accountSid: SEEDED_TENANT, actorRole: 'tenant_admin' })
  await record('inFour', { workspaceId: 4, accountSid: OTHER_TENANT_SID })
  await record('ofProvider', { providerId: OTHER_RESELLER, actorRole: 'provider_admin' })
}

const ALL = ['ofProvider', 'inFour', 'inTenant', 'inTwo', 'inOne', 'nowhere']

describe('visibility', () => {
  const people: Readonly<Record<string, object>> = {
    root: { role: 'platform_admin' as ActorRole },
    reseller: { role: 'provider_admin' as ActorRole, providerId: OTHER_RESELLER },
    boss: { role: 'tenant_admin' as ActorRole },
    lead: { members: { 1: 'admin', 2: 'editor' } },
    viewer: { members: { 1: 'viewer' } },
  }

  test.each([
    ['root', '', {}, ALL],
    ['root', '?workspaceId=4', {}, ['inFour']],
    ['root', '', { 'x-provider-id': OTHER_RESELLER }, ['ofProvider', 'inFour']],
    ['root', '', { 'x-tenant-id': SEEDED_TENANT }, ['inTenant', 'inTwo', 'inOne']],
    ['root', '', { 'x-actor-type': 'end_user' }, ['inFour', 'inTwo', 'inOne']],
    ['root', '', { 'x-workspace-id': '2' }, ['inTwo']],
    ['root', '?workspaceId=99', {}, ['403 workspace_forbidden']],
    ['reseller', '', {}, ['ofProvider', 'inFour']],
    ['reseller', '?workspaceId=1', {}, ['403 workspace_forbidden']],
    ['boss', '', {}, ['inTenant', 'inTwo', 'inOne']],
    ['boss', '?workspaceId=2', {}, ['inTwo']],
    ['lead', '', {}, ['inOne']],
    ['lead', '?workspaceId=1', {}, ['inOne']],
    ['lead', '?workspaceId=2', {}, ['403 forbidden']],
    ['viewer', '', {}, ['403 forbidden']],
  ])('%s at %j with %j: %j', async (userId, query, headers, expected) => {
    await using server = await open()
    await server.addPerson(userId, people[userId])
    const token = await server.addToken(userId)
    await fill(server)
    expect(await server.seen({ ...token, ...headers }, query)).toEqual(expected)
  })

  test('a token without the scope admin sees nothing', async () => {
    await using server = await open()
    await server.addPerson('root', { role: 'platform_admin' })
    expect(await server.seen(await server.addToken('root', { scopes: ['read', 'write'] }))).toEqual(['403 forbidden'])
  })

  test('lists more workspaces than fit in one statement', async () => {
    await using server = await open()
    await server.addPerson('root', { role: 'platform_admin' })
    const ids = Array.from({ length: 1_100 }, (_, index) => index + 10)
    await server.database.transaction(async (unit) => {
      const limits = { concurrency_base: 1, concurrency_purchased: 0, concurrency_purchase_limit: 0, created_at: 1 }
      const names = { account_sid: SEEDED_TENANT, name: '', native_transfer_enabled: 0 as const }
      for (let start = 0; start < ids.length; start += 100) {
        const rows = ids.slice(start, start + 100).map((id) => ({ workspace_id: id, ...names, ...limits }))
        await unit.insertInto('workspaces').values(rows).execute()
      }
    })
    const token = await server.addToken('root')
    for (const id of [1_109, 12, 700, 2]) {
      await server.record(`in${id}`, { workspaceId: id })
      await server.time.advance(1)
    }
    const headers = { ...token, 'x-actor-type': 'end_user' }
    expect(await server.seen(headers)).toEqual(['in2', 'in700', 'in12', 'in1109'])
    const page = await server.send('GET /api/audit-log?limit=3', headers)
    const next = `?limit=3&paginationKey=${page.headers['x-next-pagination-key']}`
    // The request for the first page also used context headers. It is recorded, but in no workspace.
    expect(await server.seen(headers, next)).toEqual(['in1109'])
  })
})

describe('the list', () => {
  async function openAsRoot() {
    const server = await open()
    await server.addPerson('root', { role: 'platform_admin' })
    return { ...server, token: await server.addToken('root') }
  }

  test('returns all fields of an entry', async () => {
    await using server = await openAsRoot()
    const context = { actorType: 'end_user', providerId: null, tenantId: 'x', workspaceId: 1 } as const
    await server.record('first', { target: { agentId: 'agent_1' }, workspaceId: 1, accountSid: 'x', context })
    await server.record('second')
    const { body } = await server.send('GET /api/audit-log', server.token)
    const shared = {
      auditId: expect.stringMatching(/^audit_/),
      at: '2026-01-05T12:00:00.000Z',
      userId: 'somebody',
      credentialId: 'token_x',
      actorType: 'end_user',
      status: 200,
      requestId: 'req_x',
      ip: '203.0.113.7',
    }
    const none = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
    expect(body).toEqual([
      {
        ...shared,
        operation: 'second',
        target: {},
        workspaceId: null,
        tenantId: null,
        providerId: null,
        context: none,
      },
      {
        ...shared,
        operation: 'first',
        target: { agentId: 'agent_1' },
        workspaceId: 1,
        tenantId: 'x',
        providerId: null,
        context,
      },
    ])
  })

  test('filters by person, operation and time', async () => {
    await using server = await openAsRoot()
    const { token } = server
    await server.record('a', { userId: 'ann' })
    await server.time.advance(DAY_MS)
    await server.record('b', { userId: 'ann' })
    await server.record('a', { userId: 'bob' })
    await server.time.advance(DAY_MS)
    await server.record('c', { userId: 'ann' })
    expect(await server.seen(token, '?userId=ann')).toEqual(['c', 'b', 'a'])
    expect(await server.seen(token, '?operation=a&user_id=ann')).toEqual(['a'])
    expect(await server.seen(token, '?startDate=2026-01-06&endDate=2026-01-06')).toEqual(['a', 'b'])
    expect(await server.seen(token, '?from=2026-01-06T12:00:00.001Z')).toEqual(['c'])
    expect(await server.seen(token, '?to=2026-01-05')).toEqual(['a'])
    expect(await server.seen(token, '?startDate=yesterday')).toEqual(['400 invalid_request'])
  })

  test('paginates', async () => {
    await using server = await openAsRoot()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await server.record(name)
    const names: string[] = []
    let query = '?limit=2'
    for (let page = 0; page < 3; page += 1) {
      const answer = await server.send(`GET /api/audit-log${query}`, server.token)
      names.push(...answer.body.map((entry: { operation: string }) => entry.operation))
      expect(answer.headers['x-has-more']).toBe(page < 2 ? 'true' : 'false')
      query = `?limit=2&paginationKey=${answer.headers['x-next-pagination-key']}`
    }
    expect(names).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  test('deletes entries after 400 days', async () => {
    await using server = await openAsRoot()
    await server.record('old')
    await server.time.advance(1)
    await server.record('younger')
    await server.time.advance(400 * DAY_MS - 1)
    await server.sweep()
    expect(await server.seen(server.token)).toEqual(['younger'])
    await server.sweep()
    expect(await server.seen(server.token)).toEqual(['younger'])
  })
})
