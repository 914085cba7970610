import type { ActorRole } from '@parley/contract/access'
import type { Operation } from '@parley/contract/operation'
import { describe, expect } from 'vitest'
import type { ApiResponse } from '../../testing/api-client.ts'
import {
  ALL,
  type Attempt,
  attempt,
  bearer,
  cookieOf,
  differences,
  expectNoMarker,
  expectRefusal,
  GUARDED,
  readAll,
  readTables,
} from '../full/access-attempt.ts'
import {
  entryOf,
  FORBIDDEN,
  INVALID,
  isRight,
  NOT_FOUND,
  outOfReach,
  type Refusal,
  TENANT_NEEDED,
  WORKSPACE_FORBIDDEN,
} from '../full/access-outcome.ts'
import { makeToken, type Name } from '../full/access-people.ts'
import { type Scene, test as sceneTest } from '../full/access-scene.ts'
import { ROWS } from '../full/rights-table.ts'

/** Context headers only restrict access, and every use is logged. */

interface ContextHeaders {
  readonly 'x-actor-type'?: string
  readonly 'x-provider-id'?: string
  readonly 'x-tenant-id'?: string
  readonly 'x-workspace-id'?: string
}

/** A request with context headers that the audit log must contain. */
interface ContextUse {
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly contextHeaders: ContextHeaders
}

interface Stage {
  readonly scene: Scene
  readonly contextUses: ContextUse[]
}

const test = sceneTest
  .extend('contextUses', { scope: 'file' }, (): ContextUse[] => [])
  .extend('before', { scope: 'file' }, async ({ scene: { server, people, owned } }) => {
    return { answers: await readAll(server, people.owner, owned), tables: await readTables(server) }
  })

const TYPES: readonly ActorRole[] = ['end_user', 'tenant_admin', 'provider_admin', 'platform_admin']
const UNKNOWN_TENANT_ID = '00000000-0000-4000-8000-000000000000'
const UNKNOWN_RESELLER_ID = `provider_${'f'.repeat(26)}`

/** Sends the valid request for the resources of workspace 1, or others, in a context. */
async function attemptAs(
  { scene, contextUses }: Stage,
  operation: Operation,
  {
    name,
    contextHeaders,
    ...rest
  }: { readonly name: Name; readonly contextHeaders: ContextHeaders } & Partial<Attempt>,
): Promise<ApiResponse> {
  const { server, people, owned } = scene
  const person = people[name]
  const own = entryOf(operation).row === 'session' ? cookieOf(server, person) : bearer(person.token)
  const answer = await attempt(server, operation, { ids: owned, ...rest, headers: { ...own, ...contextHeaders } })
  const requestId = answer.headers.get('x-request-id') ?? ''
  contextUses.push({ requestId, operation: operation.name, status: answer.status, contextHeaders })
  return answer
}

/** Malformed headers have no effect and are not logged. */
async function attemptUnreadable(
  stage: Stage,
  operation: Operation,
  contextHeaders: ContextHeaders,
): Promise<ApiResponse> {
  return await attemptAs({ ...stage, contextUses: [] }, operation, { name: 'owner', contextHeaders })
}

const namesWorkspace = (operation: Operation): boolean => !['none', 'inferred'].includes(entryOf(operation).workspace)

test('the owner can read the confidential data at first', async ({ before }) => {
  expect(JSON.stringify(before.answers)).toContain('confidential-4711')
})

describe.for(ALL.filter((operation) => entryOf(operation).row !== 'public'))('$name', (operation) => {
  const { row, workspace } = entryOf(operation)

  test('refuses to act with more rights than the token has', async ({ scene, contextUses }) => {
    for (const name of ['admin', 'firstTenantAdmin', 'firstResellerAdmin'] as const) {
      const own = TYPES.indexOf(scene.people[name].role)
      for (const type of TYPES.slice(own + 1)) {
        const answer = await attemptAs({ scene, contextUses }, operation, {
          name,
          contextHeaders: { 'x-actor-type': type },
        })
        expectRefusal(answer, [FORBIDDEN], `${name} as ${type}`)
      }
    }
  })

  test('refuses invalid headers', async ({ scene, contextUses }) => {
    for (const contextHeaders of [
      { 'x-actor-type': 'root' },
      { 'x-actor-type': 'Platform_Admin' },
      { 'x-actor-type': 'end_user, end_user' },
      { 'x-workspace-id': 'first' },
      { 'x-workspace-id': '0' },
      { 'x-tenant-id': 'x'.repeat(201) },
    ]) {
      expectRefusal(
        await attemptUnreadable({ scene, contextUses }, operation, contextHeaders),
        [INVALID],
        JSON.stringify(contextHeaders),
      )
    }
  })

  test('requires a tenant for actor types above tenants', async ({ scene, contextUses }) => {
    if (workspace === 'none') return
    const { p1 } = scene.tenancy
    for (const contextHeaders of [
      { 'x-actor-type': 'platform_admin' },
      { 'x-actor-type': 'provider_admin' },
      { 'x-actor-type': 'provider_admin', 'x-provider-id': p1 },
    ]) {
      const answer = await attemptAs({ scene, contextUses }, operation, { name: 'owner', contextHeaders })
      expectRefusal(answer, [TENANT_NEEDED])
    }
    const contextHeaders = { 'x-actor-type': 'provider_admin' }
    expectRefusal(await attemptAs({ scene, contextUses }, operation, { name: 'firstResellerAdmin', contextHeaders }), [
      TENANT_NEEDED,
    ])
  })

  test('gives an actor type only its own rights', async ({ scene, contextUses }) => {
    const needed = isRight(row) ? ROWS[row].actor : 'end_user'
    for (const type of TYPES.slice(0, TYPES.indexOf(needed))) {
      const contextHeaders = { 'x-actor-type': type, 'x-tenant-id': scene.tenancy.t1 }
      expectRefusal(
        await attemptAs({ scene, contextUses }, operation, { name: 'owner', contextHeaders }),
        [FORBIDDEN],
        type,
      )
    }
  })

  test('refuses inaccessible tenants and providers in the same words, whether they exist or not', async ({
    scene,
    contextUses,
  }) => {
    const { t2, t3, p2 } = scene.tenancy
    const refuse = async (name: Name, contextHeaders: readonly ContextHeaders[]): Promise<void> => {
      const words: unknown[] = []
      for (const one of contextHeaders) {
        const answer = await attemptAs({ scene, contextUses }, operation, { name, contextHeaders: one })
        expectRefusal(answer, [FORBIDDEN], `${name} ${JSON.stringify(one)}`)
        words.push(answer.body.error)
      }
      expect(new Set(words).size).toBe(1)
    }
    await refuse('admin', [{ 'x-tenant-id': t2 }, { 'x-tenant-id': UNKNOWN_TENANT_ID }])
    await refuse('firstTenantAdmin', [{ 'x-tenant-id': t2 }, { 'x-tenant-id': UNKNOWN_TENANT_ID }])
    await refuse('firstResellerAdmin', [{ 'x-tenant-id': t3 }, { 'x-tenant-id': UNKNOWN_TENANT_ID }])
    await refuse('owner', [{ 'x-tenant-id': UNKNOWN_TENANT_ID }])
    await refuse('admin', [{ 'x-provider-id': p2 }, { 'x-provider-id': UNKNOWN_RESELLER_ID }])
    await refuse('firstTenantAdmin', [{ 'x-provider-id': p2 }, { 'x-provider-id': UNKNOWN_RESELLER_ID }])
    await refuse('firstResellerAdmin', [{ 'x-provider-id': p2 }, { 'x-provider-id': UNKNOWN_RESELLER_ID }])
    await refuse('owner', [{ 'x-provider-id': UNKNOWN_RESELLER_ID }])
  })

  test('refuses a tenant of another provider', async ({ scene, contextUses }) => {
    const contextHeaders = { 'x-tenant-id': scene.tenancy.t1, 'x-provider-id': scene.tenancy.p2 }
    expectRefusal(await attemptAs({ scene, contextUses }, operation, { name: 'owner', contextHeaders }), [INVALID])
  })
})

/** Users see only their own tokens and sessions in every context. */
const SCOPED_OPERATIONS = GUARDED.filter((operation) => entryOf(operation).row !== 'own-tokens')

describe.for(SCOPED_OPERATIONS)('$name', (operation) => {
  const { workspace } = entryOf(operation)

  test('is limited to the tenant of the context', async ({ scene, contextUses }) => {
    const contextHeaders = { 'x-tenant-id': scene.tenancy.t2 }
    const answer = await attemptAs({ scene, contextUses }, operation, { name: 'owner', contextHeaders })
    expectNoMarker(answer)
    if (namesWorkspace(operation)) return expectRefusal(answer, [INVALID])
    const isList = operation.method === 'GET' && !operation.path.includes('{') && operation.name !== 'getBrandDomain'
    if (isList) return expect(answer.status).toBe(200)
    const outside: readonly Refusal[] = [NOT_FOUND, FORBIDDEN, WORKSPACE_FORBIDDEN]
    expectRefusal(answer, workspace === 'inferred' ? [outOfReach(operation)] : outside)
  })

  test('is limited to the workspace of the context', async ({ scene, contextUses }) => {
    const contextHeaders = { 'x-workspace-id': String(scene.tenancy.w2) }
    const isAboutKeys = /^(create|update|delete)ProviderKey$/.test(operation.name)
    if (workspace === 'none' && !isAboutKeys) return
    const answer = await attemptAs({ scene, contextUses }, operation, { name: 'owner', contextHeaders })
    const outside = workspace === 'none' ? [NOT_FOUND, WORKSPACE_FORBIDDEN] : [outOfReach(operation)]
    expectRefusal(answer, namesWorkspace(operation) ? [INVALID] : outside)
  })

  test('refuses an inaccessible workspace of the context', async ({ scene, contextUses }) => {
    const { owned, second } = scene
    const contextHeaders = { 'x-workspace-id': String(owned.workspaceId) }
    for (const ids of [owned, second]) {
      const answer = await attemptAs({ scene, contextUses }, operation, { name: 'otherAdmin', contextHeaders, ids })
      expectNoMarker(answer)
      expectRefusal(answer, [WORKSPACE_FORBIDDEN, FORBIDDEN, ...(ids === second ? [INVALID] : [])])
    }
  })

  test('answers an actor according to its type', async ({ scene, contextUses }) => {
    if (operation.method !== 'GET') return
    const { t1, p1, w1 } = scene.tenancy
    const within = { 'x-tenant-id': t1, 'x-provider-id': p1 }
    const named = namesWorkspace(operation) ? { 'x-workspace-id': String(w1) } : {}
    for (const name of ['owner', 'firstResellerAdmin', 'firstTenantAdmin', 'admin'] as const) {
      const { row } = entryOf(operation)
      const { role } = scene.people[name]
      if (isRight(row) && TYPES.indexOf(ROWS[row].actor) > TYPES.indexOf(role)) continue
      // Acting for a tenant does not include acting for its provider.
      const isAbove = operation.path.includes('{providerId}')
      const contextHeaders = { 'x-actor-type': role, ...(isAbove ? {} : within), ...named }
      const answer = await attemptAs({ scene, contextUses }, operation, { name, contextHeaders })
      expect(answer.status, `${name} ${JSON.stringify(answer.body)}`).toBe(200)
    }
  })
})

/** Returns the workspace ids of a list in a context. */
type WorkspaceIds = readonly (number | null)[]

const LISTS: readonly { readonly path: string; readonly read: (body: unknown) => WorkspaceIds }[] = [
  {
    path: '/api/workspaces',
    read: (body) => (body as { workspaces: { id: number }[] }).workspaces.map(({ id }) => id),
  },
  {
    path: '/api/v1/calls/history',
    read: (body) => (body as { calls: { workspaceId: number }[] }).calls.map(({ workspaceId }) => workspaceId),
  },
  {
    path: '/api/v1/calls',
    read: (body) => (body as { calls: { workspaceId: number }[] }).calls.map(({ workspaceId }) => workspaceId),
  },
  {
    path: '/api/provider-keys',
    read: (body) => (body as { workspaceId: number }[]).map(({ workspaceId }) => workspaceId),
  },
  {
    path: '/api/usage?groupBy=workspace',
    read: (body) => (body as { key: string }[]).map(({ key }) => Number(key)),
  },
]

describe.for(LISTS)('GET $path', ({ path, read }) => {
  test('contains only what the context allows', async ({ scene: { server, people, tenancy } }) => {
    const { w1, w2, w3, w4, spare, t1, t2, t3, p1, p2 } = tenancy
    const expectListed = async (
      name: Name,
      contextHeaders: ContextHeaders,
      expectedIds: readonly number[],
    ): Promise<void> => {
      const headers = { ...bearer(people[name].token), ...contextHeaders }
      const { status, body } = await server.call('GET', path, { headers })
      expect(status, JSON.stringify(body)).toBe(200)
      const about = `${name} ${JSON.stringify(contextHeaders)}`
      expect([...new Set(read(body))].toSorted(), about).toEqual(expectedIds.toSorted())
    }
    await expectListed('owner', {}, [w1, w2, w3, w4, spare])
    await expectListed('owner', { 'x-tenant-id': t1 }, [w1, w2, spare])
    await expectListed('owner', { 'x-tenant-id': t2 }, [w3])
    await expectListed('owner', { 'x-tenant-id': t3, 'x-actor-type': 'tenant_admin' }, [w4])
    await expectListed('owner', { 'x-provider-id': p1 }, [w1, w2, w3, spare])
    await expectListed('owner', { 'x-provider-id': p2 }, [w4])
    await expectListed('owner', { 'x-workspace-id': String(w2) }, [w2])
    await expectListed('owner', { 'x-actor-type': 'end_user' }, [w1, w2, w3, w4, spare])
    await expectListed('firstResellerAdmin', {}, [w1, w2, w3, spare])
    await expectListed('firstResellerAdmin', { 'x-tenant-id': t2 }, [w3])
    await expectListed('firstTenantAdmin', {}, [w1, w2, spare])
    await expectListed('firstTenantAdmin', { 'x-workspace-id': String(w2), 'x-actor-type': 'end_user' }, [w2])
    await expectListed('secondTenantAdmin', { 'x-provider-id': p1 }, [w3])
    await expectListed('admin', { 'x-tenant-id': t1 }, [w1])
    await expectListed('otherAdmin', { 'x-tenant-id': t1, 'x-provider-id': p1 }, [w2])
  })
})

test('nothing has changed in any context, and the owner reads the same data', async ({ scene, before }) => {
  const { server, people, owned } = scene
  expect(differences(before.tables, await readTables(server))).toEqual([])
  const { listAuditLog: _now, ...after } = await readAll(server, people.owner, owned)
  const { listAuditLog: _then, ...answers } = before.answers
  expect(differences(answers, after)).toEqual([])
})

test('a use that the scope of the token refuses is recorded as well', async ({
  scene: { server, tenancy },
  contextUses,
}) => {
  const { token } = await makeToken(server, { scopes: ['read'] })
  const contextHeaders = { 'x-tenant-id': tenancy.t1 }
  const body = { workspaceId: tenancy.w1 }
  const answer = await server.call('POST', '/api/v1/llms', { headers: { ...bearer(token), ...contextHeaders }, body })
  expectRefusal(answer, [FORBIDDEN])
  contextUses.push({
    requestId: answer.headers.get('x-request-id') ?? '',
    operation: 'createLlm',
    status: 403,
    contextHeaders,
  })
})

interface Entry {
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly workspaceId: number | null
  readonly tenantId: string | null
  readonly providerId: string | null
  readonly context: Readonly<Record<'actorType' | 'providerId' | 'tenantId' | 'workspaceId', string | number | null>>
}

/** Reads the whole audit log as the owner in a context. */
async function readLog({ server }: Scene, contextHeaders: ContextHeaders = {}): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let next: Readonly<Record<string, string>> = {}
  for (;;) {
    const options = { headers: { ...contextHeaders }, query: { limit: 1000, ...next } }
    const { status, headers, body } = await server.call<Entry[]>('GET', '/api/audit-log', options)
    expect(status).toBe(200)
    entries.push(...body)
    if (headers.get('x-has-more') !== 'true') return entries
    next = { paginationKey: headers.get('x-next-pagination-key') ?? '' }
  }
}

test('every use of a context header is in the audit log', async ({ scene, contextUses }) => {
  const log = new Map((await readLog(scene)).map((entry) => [entry.requestId, entry]))
  expect(contextUses.length).toBeGreaterThan(2_000)
  for (const { requestId, operation, status, contextHeaders } of contextUses) {
    const entry = log.get(requestId)
    expect(entry, `${operation} ${status} ${JSON.stringify(contextHeaders)}`).toMatchObject({
      operation,
      status,
      context: {
        actorType: contextHeaders['x-actor-type'] ?? null,
        providerId: contextHeaders['x-provider-id'] ?? null,
        tenantId: contextHeaders['x-tenant-id'] ?? null,
        workspaceId: contextHeaders['x-workspace-id'] === undefined ? null : Number(contextHeaders['x-workspace-id']),
      },
    })
  }
})

test('the audit log contains only what the context allows', async ({ scene }) => {
  const { tenancy } = scene
  const { t2, p2, t3, w2 } = tenancy
  const tenants = (await readLog(scene, { 'x-tenant-id': t2 })).map(({ tenantId }) => tenantId)
  expect(new Set(tenants)).toEqual(new Set([t2]))
  const providers = await readLog(scene, { 'x-provider-id': p2 })
  expect(providers.length).toBeGreaterThan(0)
  expect(providers.filter(({ providerId, tenantId }) => providerId !== p2 && tenantId !== t3)).toEqual([])
  const workspaces = (await readLog(scene, { 'x-workspace-id': String(w2) })).map(({ workspaceId }) => workspaceId)
  expect(new Set(workspaces)).toEqual(new Set([w2]))
})
