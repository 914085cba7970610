import type { ActorRole, MemberRole } from '@parley/contract/access'
import type { Clock, MakeId } from '@parley/engine/ports'
import { createManualClock, type ManualClock } from '@parley/engine/testing/manual-clock'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Api } from '../../kernel/api/implement.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import type { AuditTrail } from '../audit/audit-trail.ts'
import { createAuditTrail } from '../audit/audit-trail.ts'
import { openTestApi } from '../route-test-kit.ts'
import { type AccessService, createAccessService } from './access-service.ts'
import { createTenantDirectoryReader } from './tenant-directory-reader.ts'

export interface AccessParts {
  readonly database: TemporaryDatabase
  readonly clock: Clock
  readonly makeId: MakeId
  readonly randomBytes: (size: number) => Uint8Array
  readonly access: AccessService
  readonly sessionIdleMs: number
  readonly audit: AuditTrail
}

interface NewPerson {
  readonly role?: ActorRole
  readonly providerId?: string
  readonly accountSid?: string
  readonly password?: string
  readonly members?: Readonly<Record<number, MemberRole>>
}

/** The other reseller's tenant, which owns workspace 4. */
export const OTHER_RESELLER = 'provider_other'
export const OTHER_TENANT_SID = '00000000-0000-4000-8000-00000000000b'

const SESSION_IDLE_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Serves routes with real tokens and sessions. The seeded tenant has workspaces 1 and 2, and another reseller's tenant has
 * workspace 4.
 */
export async function openAccessRoutes(register: (api: Api, parts: AccessParts) => void) {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const parts = await createParts(database, time)
  const { clock, makeId, access, audit } = parts
  const { fastify, api } = openTestApi(
    { database, clock, makeId },
    { authenticate: access.authenticate, publicHost: 'parley.example', audit },
  )
  register(api, parts)

  async function send(requestLine: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
    const [method = '', url = ''] = requestLine.split(' ')
    const payload = body === undefined ? {} : { payload: body }
    const response = await fastify.inject({ method: method as 'GET', url, headers, ...payload })
    const responseBody = response.body === '' ? null : response.json()
    return {
      status: response.statusCode,
      code: responseBody?.code ?? null,
      headers: response.headers,
      body: responseBody,
    }
  }

  return {
    ...parts,
    time,
    send,
    addPerson: (userId: string, person: NewPerson = {}) => addPerson(database, userId, person),
    /** Creates a token for a user and returns the request headers that carry the token. */
    addToken: (userId: string, limits: TokenLimits = {}) => addToken(parts, userId, limits),
    async [Symbol.asyncDispose]() {
      await fastify.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function createParts(database: TemporaryDatabase, { clock }: ManualClock): Promise<AccessParts> {
  await seedWorkspaces(database)
  await addOtherTenant(database)
  let ids = 0
  const makeId: MakeId = (prefix) => `${prefix}_${String(++ids).padStart(4, '0')}`
  let drawCount = 0
  const bus = createInProcessBus(() => {})
  const background = { run: (_name: string, work: () => Promise<unknown>) => void work(), drain: async () => [] }
  const readTenantDirectory = createTenantDirectoryReader(database, clock)
  return {
    database,
    clock,
    makeId,
    randomBytes: (size) => new Uint8Array(size).fill(++drawCount),
    access: createAccessService({
      database,
      background,
      bus,
      clock,
      readTenantDirectory,
      sessionIdleMs: SESSION_IDLE_MS,
    }),
    sessionIdleMs: SESSION_IDLE_MS,
    audit: createAuditTrail(database, clock, makeId),
  }
}

async function addOtherTenant(database: TemporaryDatabase): Promise<void> {
  await database.transaction(async (unit) => {
    const resellerFields = {
      slug: 'other',
      name: 'Other',
      markup_percent: 0,
      edit_count: 1,
      created_at: 1,
      updated_at: 1,
    }
    await unit
      .insertInto('providers')
      .values({ provider_id: OTHER_RESELLER, ...resellerFields })
      .execute()
    const tenant = { account_sid: OTHER_TENANT_SID, account_path: '/other/west', name: 'West', created_at: 1 }
    await unit
      .insertInto('tenants')
      .values({ ...tenant, provider_id: OTHER_RESELLER })
      .execute()
    const limits = { concurrency_base: 1, concurrency_purchased: 0, concurrency_purchase_limit: 0 }
    const workspace = { workspace_id: 4, account_sid: OTHER_TENANT_SID, name: 'West', created_at: 1 }
    await unit
      .insertInto('workspaces')
      .values({ ...workspace, native_transfer_enabled: 0, ...limits })
      .execute()
  })
}

async function addPerson(database: TemporaryDatabase, userId: string, person: NewPerson): Promise<void> {
  const { role = 'end_user', providerId = null, password, members = {} } = person
  await database.transaction(async (unit) => {
    const accountSid = person.accountSid ?? (role === 'tenant_admin' ? SEEDED_TENANT : null)
    await unit
      .insertInto('users')
      .values({
        user_id: userId,
        email: `${userId}@example.com`,
        name: userId.toUpperCase(),
        password_hash: password === undefined ? '' : `hash of ${password}`,
        role,
        provider_id: providerId,
        account_sid: accountSid,
        created_at: 1,
      })
      .execute()
    for (const [id, level] of Object.entries(members)) {
      const member = { workspace_id: Number(id), user_id: userId, role: level, created_at: 1 }
      await unit.insertInto('members').values(member).execute()
    }
  })
}

interface TokenLimits {
  readonly scopes?: readonly string[]
  readonly workspaceIds?: readonly number[]
  readonly expiresAt?: number
}

async function addToken(
  { database, makeId, access, clock }: AccessParts,
  userId: string,
  { scopes = ['read', 'write', 'calls', 'admin'], workspaceIds, expiresAt }: TokenLimits,
): Promise<{ readonly authorization: string }> {
  const id = makeId('token')
  const row = {
    token_id: id,
    token_hash: access.hashToken(`sk_of_${id}`),
    user_id: userId,
    name: `Token of ${userId}`,
    scopes: JSON.stringify(scopes),
    workspace_ids: workspaceIds === undefined ? null : JSON.stringify(workspaceIds),
    expires_at: expiresAt ?? null,
    last_used_at: null,
    revoked_at: null,
    created_at: clock.now(),
  }
  await database.transaction((unit) => unit.insertInto('api_tokens').values(row).execute())
  return { authorization: `Bearer sk_of_${id}` }
}
