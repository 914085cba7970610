import { SCOPES } from '@parley/contract/access'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { createTenantDirectoryReader } from '../access/tenant-directory-reader.ts'
import { createSequentialIds } from '../features-test-kit.ts'
import { createVendorKeyService } from './vendor-key-service.ts'
import type { KeyTester } from './vendor-key-store.ts'
import { createVendorKeys, type OperatorKeys } from './vendor-keys.ts'

/** The default reseller of every database. */
export const RESELLER = `provider_${'0'.repeat(26)}`
export const OTHER_RESELLER = `provider_${'2'.repeat(26)}`
/** Tenant of RESELLER with workspaces 1 and 2. */
export const TENANT = SEEDED_TENANT
/** Tenant of RESELLER with workspace 3. */
export const SISTER_TENANT = '00000000-0000-4000-8000-00000000000b'
/** Tenant of OTHER_RESELLER with workspace 4. */
export const FOREIGN_TENANT = '00000000-0000-4000-8000-00000000000c'
/** Tenant of OTHER_RESELLER without workspaces. */
export const EMPTY_TENANT = '00000000-0000-4000-8000-00000000000d'

/** Content of the database of `openVendorKeys`. */
export const TENANT_DIRECTORY: TenantDirectory = {
  resellers: new Set([RESELLER, OTHER_RESELLER]),
  tenants: new Map([
    [TENANT, RESELLER],
    [SISTER_TENANT, RESELLER],
    [FOREIGN_TENANT, OTHER_RESELLER],
    [EMPTY_TENANT, OTHER_RESELLER],
  ]),
  workspaces: new Map([
    [1, TENANT],
    [2, TENANT],
    [3, SISTER_TENANT],
    [4, FOREIGN_TENANT],
  ]),
}

/** Creates an actor with all scopes and the level `account` in the workspaces. `changes` override fields. */
export function buildActor(role: Actor['role'], workspaceIds: readonly number[], changes: Partial<Actor> = {}): Actor {
  return {
    userId: 'user_1',
    credentialId: 'token_1',
    isSession: false,
    expiresAt: null,
    role,
    scopes: new Set(SCOPES),
    providerId: null,
    accountSid: null,
    workspaces: new Map(workspaceIds.map((id) => [id, { level: 'account', accountSid: buildTenant(id) }])),
    ...changes,
  }
}

/** Creates memberships with a level in each workspace. */
export function buildMemberships(levels: Readonly<Record<number, 'viewer' | 'editor' | 'admin'>>): Actor['workspaces'] {
  return new Map(
    Object.entries(levels).map(([id, level]) => [Number(id), { level, accountSid: buildTenant(Number(id)) }]),
  )
}

function buildTenant(workspaceId: number): string {
  return TENANT_DIRECTORY.workspaces.get(workspaceId) ?? ''
}

export const PLATFORM_ADMIN = buildActor('platform_admin', [1, 2, 3, 4])
export const RESELLER_ADMIN = buildActor('provider_admin', [1, 2, 3], { providerId: RESELLER })
export const TENANT_ADMIN = buildActor('tenant_admin', [1, 2], { providerId: RESELLER, accountSid: TENANT })
/** Admin of workspace 1, editor of workspace 2. */
export const MEMBER = buildActor('end_user', [], { workspaces: buildMemberships({ 1: 'admin', 2: 'editor' }) })

/** Opens the feature on a database with two resellers, four tenants and four workspaces. */
export async function openVendorKeys(operatorKeys: OperatorKeys = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const { clock } = time
  const names = { slug: 'other', name: 'Other', markup_percent: 0, edit_count: 1, created_at: 0, updated_at: 0 }
  await database.transaction(async (transaction) => {
    await transaction
      .insertInto('providers')
      .values({ provider_id: OTHER_RESELLER, ...names })
      .execute()
    for (const [account_sid, provider_id] of TENANT_DIRECTORY.tenants) {
      if (account_sid === TENANT) continue
      const tenant = { account_sid, provider_id, account_path: `/p/${account_sid}`, name: 'Tenant', created_at: 0 }
      await transaction.insertInto('tenants').values(tenant).execute()
    }
    for (const workspace_id of [3, 4]) {
      const limits = { concurrency_base: 20, concurrency_purchased: 0, concurrency_purchase_limit: 100 }
      const fields = { name: '', native_transfer_enabled: 0 as const, created_at: 0, ...limits }
      await transaction
        .insertInto('workspaces')
        .values({ workspace_id, account_sid: buildTenant(workspace_id), ...fields })
        .execute()
    }
  })
  const makeId = createSequentialIds()
  const bus = createInProcessBus(() => {})
  const secrets = createSecrets('a secret key of tests, long enough')
  const readTenantDirectory = createTenantDirectoryReader(database, clock)
  const keys = createVendorKeys({ database, clock, secrets, bus, readTenantDirectory, operatorKeys })
  const tester: KeyTester = {
    test: async (vendor, { apiKey }) => ({ ok: apiKey !== 'sk-revoked-key', message: `${vendor} responded.` }),
  }
  const service = createVendorKeyService({ database, clock, makeId, secrets, readTenantDirectory, keys, tester })
  return {
    database,
    time,
    makeId,
    bus,
    secrets,
    keys,
    service,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
