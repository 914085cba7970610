import type { ActorRole } from '@parley/contract/access'
import type { Operation } from '@parley/contract/operation'
import { describe, expect } from 'vitest'
import type { Answer } from '../../testing/api-client.ts'
import {
  ALL,
  type Attempt,
  attempt,
  bearer,
  cookieOf,
  differences,
  expectNoMark,
  expectRefusal,
  GUARDED,
  readAll,
  readTables,
} from './access-attempt.ts'
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
} from './access-outcome.ts'
import { makeToken, type Name } from './access-people.ts'
import { type Scene, test as sceneTest } from './access-scene.ts'
import { ROWS } from './rights-table.ts'

/** The context headers: they only narrow, and every use of them is on record. */

interface Claims {
  readonly 'x-actor-type'?: string
  readonly 'x-provider-id'?: string
  readonly 'x-tenant-id'?: string
  readonly 'x-workspace-id'?: string
}

/** A request with context headers that the log has to tell of. */
interface Use {
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly claims: Claims
}

interface Stage {
  readonly scene: Scene
  readonly uses: Use[]
}

const test = sceneTest
  .extend('uses', { scope: 'file' }, (): Use[] => [])
  .extend('before', { scope: 'file' }, async ({ scene: { server, people, owned } }) => {
    return { answers: await readAll(server, people.owner, owned), tables: await readTables(server) }
  })

const TYPES: readonly ActorRole[] = ['end_user', 'tenant_admin', 'provider_admin', 'platform_admin']
const NO_TENANT = '00000000-0000-4000-8000-000000000000'
const NO_PROVIDER = `provider_${'f'.repeat(26)}`

/** Sends the good request for the resources of workspace 1, or others, in a context. */
async function attemptAs(
  { scene, uses }: Stage,
  operation: Operation,
  { name, claims, ...rest }: { readonly name: Name; readonly claims: Claims } & Partial<Attempt>,
): Promise<Answer> {
  const { server, people, owned } = scene
  const person = people[name]
  const own = entryOf(operation).row === 'session' ? cookieOf(server, person) : bearer(person.token)
  const answer = await attempt(server, operation, { ids: owned, ...rest, headers: { ...own, ...claims } })
  const requestId = answer.headers.get('x-request-id') ?? ''
  uses.push({ requestId, operation: operation.name, status: answer.status, claims })
  return answer
}

/** Headers that cannot be read are no use of them: they go unrecorded. */
async function attemptUnreadable(stage: Stage, operation: Operation, claims: Claims): Promise<Answer> {
  return await attemptAs({ ...stage, uses: [] }, operation, { name: 'owner', claims })
}

const namesWorkspace = (operation: Operation): boolean => !['none', 'inferred'].includes(entryOf(operation).workspace)

test('the owner reads what is confidential before anybody tries anything', async ({ before }) => {
  expect(JSON.stringify(before.answers)).toContain('confidential-4711')
})

describe.for(ALL.filter((operation) => entryOf(operation).row !== 'public'))('$name', (operation) => {
  const { row, workspace } = entryOf(operation)

  test('refuses to act as more than one is', async ({ scene, uses }) => {
    for (const name of ['admin', 'firstTenant', 'firstProvider'] as const) {
      const own = TYPES.indexOf(scene.people[name].role)
      for (const type of TYPES.slice(own + 1)) {
        const answer = await attemptAs({ scene, uses }, operation, { name, claims: { 'x-actor-type': type } })
        expectRefusal(answer, [FORBIDDEN], `${name} as ${type}`)
      }
    }
  })

  test('refuses headers that cannot mean anything', async ({ scene, uses }) => {
    for (const claims of [
      { 'x-actor-type': 'root' },
      { 'x-actor-type': 'Platform_Admin' },
      { 'x-actor-type': 'end_user, end_user' },
      { 'x-workspace-id': 'first' },
      { 'x-workspace-id': '0' },
      { 'x-tenant-id': 'x'.repeat(201) },
    ]) {
      expectRefusal(await attemptUnreadable({ scene, uses }, operation, claims), [INVALID], JSON.stringify(claims))
    }
  })

  test('needs a tenant with the types of actor above it', async ({ scene, uses }) => {
    if (workspace === 'none') return
    const { p1 } = scene.places
    for (const claims of [
      { 'x-actor-type': 'platform_admin' },
      { 'x-actor-type': 'provider_admin' },
      { 'x-actor-type': 'provider_admin', 'x-provider-id': p1 },
    ]) {
      const answer = await attemptAs({ scene, uses }, operation, { name: 'owner', claims })
      expectRefusal(answer, [TENANT_NEEDED])
    }
    const claims = { 'x-actor-type': 'provider_admin' }
    expectRefusal(await attemptAs({ scene, uses }, operation, { name: 'firstProvider', claims }), [TENANT_NEEDED])
  })

  test('gives a type of actor no more than it has', async ({ scene, uses }) => {
    const needed = isRight(row) ? ROWS[row].actor : 'end_user'
    for (const type of TYPES.slice(0, TYPES.indexOf(needed))) {
      const claims = { 'x-actor-type': type, 'x-tenant-id': scene.places.t1 }
      expectRefusal(await attemptAs({ scene, uses }, operation, { name: 'owner', claims }), [FORBIDDEN], type)
    }
  })

  test('refuses tenants and providers out of reach, existing or not, in the same words', async ({ scene, uses }) => {
    const { t2, t3, p2 } = scene.places
    const refuse = async (name: Name, claims: readonly Claims[]): Promise<void> => {
      const words: unknown[] = []
      for (const one of claims) {
        const answer = await attemptAs({ scene, uses }, operation, { name, claims: one })
        expectRefusal(answer, [FORBIDDEN], `${name} ${JSON.stringify(one)}`)
        words.push(answer.body.error)
      }
      expect(new Set(words).size).toBe(1)
    }
    await refuse('admin', [{ 'x-tenant-id': t2 }, { 'x-tenant-id': NO_TENANT }])
    await refuse('firstTenant', [{ 'x-tenant-id': t2 }, { 'x-tenant-id': NO_TENANT }])
    await refuse('firstProvider', [{ 'x-tenant-id': t3 }, { 'x-tenant-id': NO_TENANT }])
    await refuse('owner', [{ 'x-tenant-id': NO_TENANT }])
    await refuse('admin', [{ 'x-provider-id': p2 }, { 'x-provider-id': NO_PROVIDER }])
    await refuse('firstTenant', [{ 'x-provider-id': p2 }, { 'x-provider-id': NO_PROVIDER }])
    await refuse('firstProvider', [{ 'x-provider-id': p2 }, { 'x-provider-id': NO_PROVIDER }])
    await refuse('owner', [{ 'x-provider-id': NO_PROVIDER }])
  })

  test('refuses a tenant that is not of the provider named', async ({ scene, uses }) => {
    const claims = { 'x-tenant-id': scene.places.t1, 'x-provider-id': scene.places.p2 }
    expectRefusal(await attemptAs({ scene, uses }, operation, { name: 'owner', claims }), [INVALID])
  })
})

/** Own tokens and logins are one's own in every context. */
const ABOUT_PLACES = GUARDED.filter((operation) => entryOf(operation).row !== 'own-tokens')

describe.for(ABOUT_PLACES)('$name', (operation) => {
  const { workspace } = entryOf(operation)

  test('keeps to the tenant of the context', async ({ scene, uses }) => {
    const claims = { 'x-tenant-id': scene.places.t2 }
    const answer = await attemptAs({ scene, uses }, operation, { name: 'owner', claims })
    expectNoMark(answer)
    if (namesWorkspace(operation)) return expectRefusal(answer, [INVALID])
    const isList = operation.method === 'GET' && !operation.path.includes('{') && operation.name !== 'getBrandDomain'
    if (isList) return expect(answer.status).toBe(200)
    const outside: readonly Refusal[] = [NOT_FOUND, FORBIDDEN, WORKSPACE_FORBIDDEN]
    expectRefusal(answer, workspace === 'inferred' ? [outOfReach(operation)] : outside)
  })

  test('keeps to the workspace of the context', async ({ scene, uses }) => {
    const claims = { 'x-workspace-id': String(scene.places.w2) }
    const isAboutKeys = /^(create|update|delete)ProviderKey$/.test(operation.name)
    if (workspace === 'none' && !isAboutKeys) return
    const answer = await attemptAs({ scene, uses }, operation, { name: 'owner', claims })
    const outside = workspace === 'none' ? [NOT_FOUND, WORKSPACE_FORBIDDEN] : [outOfReach(operation)]
    expectRefusal(answer, namesWorkspace(operation) ? [INVALID] : outside)
  })

  test('refuses a workspace of the context that is out of reach', async ({ scene, uses }) => {
    const { owned, second } = scene
    const claims = { 'x-workspace-id': String(owned.workspaceId) }
    for (const ids of [owned, second]) {
      const answer = await attemptAs({ scene, uses }, operation, { name: 'otherAdmin', claims, ids })
      expectNoMark(answer)
      expectRefusal(answer, [WORKSPACE_FORBIDDEN, FORBIDDEN, ...(ids === second ? [INVALID] : [])])
    }
  })

  test('answers whoever acts as what it is', async ({ scene, uses }) => {
    if (operation.method !== 'GET') return
    const { t1, p1, w1 } = scene.places
    const within = { 'x-tenant-id': t1, 'x-provider-id': p1 }
    const named = namesWorkspace(operation) ? { 'x-workspace-id': String(w1) } : {}
    for (const name of ['owner', 'firstProvider', 'firstTenant', 'admin'] as const) {
      const { row } = entryOf(operation)
      const { role } = scene.people[name]
      if (isRight(row) && TYPES.indexOf(ROWS[row].actor) > TYPES.indexOf(role)) continue
      // Whoever acts within a tenant does not act for its provider.
      const isAbove = operation.path.includes('{providerId}')
      const claims = { 'x-actor-type': role, ...(isAbove ? {} : within), ...named }
      const answer = await attemptAs({ scene, uses }, operation, { name, claims })
      expect(answer.status, `${name} ${JSON.stringify(answer.body)}`).toBe(200)
    }
  })
})

/** What a list in a context holds, as ids of workspaces. */
type Held = readonly (number | null)[]

const LISTS: readonly { readonly path: string; readonly read: (body: unknown) => Held }[] = [
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
  test('holds what the context leaves', async ({ scene: { server, people, places } }) => {
    const { w1, w2, w3, w4, spare, t1, t2, t3, p1, p2 } = places
    const expectHeld = async (name: Name, claims: Claims, held: readonly number[]): Promise<void> => {
      const headers = { ...bearer(people[name].token), ...claims }
      const { status, body } = await server.call('GET', path, { headers })
      expect(status, JSON.stringify(body)).toBe(200)
      const about = `${name} ${JSON.stringify(claims)}`
      expect([...new Set(read(body))].toSorted(), about).toEqual(held.toSorted())
    }
    await expectHeld('owner', {}, [w1, w2, w3, w4, spare])
    await expectHeld('owner', { 'x-tenant-id': t1 }, [w1, w2, spare])
    await expectHeld('owner', { 'x-tenant-id': t2 }, [w3])
    await expectHeld('owner', { 'x-tenant-id': t3, 'x-actor-type': 'tenant_admin' }, [w4])
    await expectHeld('owner', { 'x-provider-id': p1 }, [w1, w2, w3, spare])
    await expectHeld('owner', { 'x-provider-id': p2 }, [w4])
    await expectHeld('owner', { 'x-workspace-id': String(w2) }, [w2])
    await expectHeld('owner', { 'x-actor-type': 'end_user' }, [w1, w2, w3, w4, spare])
    await expectHeld('firstProvider', {}, [w1, w2, w3, spare])
    await expectHeld('firstProvider', { 'x-tenant-id': t2 }, [w3])
    await expectHeld('firstTenant', {}, [w1, w2, spare])
    await expectHeld('firstTenant', { 'x-workspace-id': String(w2), 'x-actor-type': 'end_user' }, [w2])
    await expectHeld('secondTenant', { 'x-provider-id': p1 }, [w3])
    await expectHeld('admin', { 'x-tenant-id': t1 }, [w1])
    await expectHeld('otherAdmin', { 'x-tenant-id': t1, 'x-provider-id': p1 }, [w2])
  })
})

test('nobody has changed anything in any context, and the owner reads it as before', async ({ scene, before }) => {
  const { server, people, owned } = scene
  expect(differences(before.tables, await readTables(server))).toEqual([])
  const { listAuditLog: _now, ...after } = await readAll(server, people.owner, owned)
  const { listAuditLog: _then, ...answers } = before.answers
  expect(differences(answers, after)).toEqual([])
})

test('a use that the scope of the token refuses is on record as well', async ({ scene: { server, places }, uses }) => {
  const { token } = await makeToken(server, { scopes: ['read'] })
  const claims = { 'x-tenant-id': places.t1 }
  const body = { workspaceId: places.w1 }
  const answer = await server.call('POST', '/api/v1/llms', { headers: { ...bearer(token), ...claims }, body })
  expectRefusal(answer, [FORBIDDEN])
  uses.push({ requestId: answer.headers.get('x-request-id') ?? '', operation: 'createLlm', status: 403, claims })
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

/** The audit log to its end, as the owner sees it in a context. */
async function readLog({ server }: Scene, claims: Claims = {}): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let next: Readonly<Record<string, string>> = {}
  for (;;) {
    const options = { headers: { ...claims }, query: { limit: 1000, ...next } }
    const { status, headers, body } = await server.call<Entry[]>('GET', '/api/audit-log', options)
    expect(status).toBe(200)
    entries.push(...body)
    if (headers.get('x-has-more') !== 'true') return entries
    next = { paginationKey: headers.get('x-next-pagination-key') ?? '' }
  }
}

test('every use of a context header is in the audit log', async ({ scene, uses }) => {
  const log = new Map((await readLog(scene)).map((entry) => [entry.requestId, entry]))
  expect(uses.length).toBeGreaterThan(2_000)
  for (const { requestId, operation, status, claims } of uses) {
    const entry = log.get(requestId)
    expect(entry, `${operation} ${status} ${JSON.stringify(claims)}`).toMatchObject({
      operation,
      status,
      context: {
        actorType: claims['x-actor-type'] ?? null,
        providerId: claims['x-provider-id'] ?? null,
        tenantId: claims['x-tenant-id'] ?? null,
        workspaceId: claims['x-workspace-id'] === undefined ? null : Number(claims['x-workspace-id']),
      },
    })
  }
})

test('the audit log holds what the context leaves', async ({ scene }) => {
  const { places } = scene
  const { t2, p2, t3, w2 } = places
  const tenants = (await readLog(scene, { 'x-tenant-id': t2 })).map(({ tenantId }) => tenantId)
  expect(new Set(tenants)).toEqual(new Set([t2]))
  const providers = await readLog(scene, { 'x-provider-id': p2 })
  expect(providers.length).toBeGreaterThan(0)
  expect(providers.filter(({ providerId, tenantId }) => providerId !== p2 && tenantId !== t3)).toEqual([])
  const workspaces = (await readLog(scene, { 'x-workspace-id': String(w2) })).map(({ workspaceId }) => workspaceId)
  expect(new Set(workspaces)).toEqual(new Set([w2]))
})
