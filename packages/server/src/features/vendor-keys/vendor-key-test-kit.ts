import { SCOPES } from '@parley/contract/access'
import { manualClock } from '@parley/engine/testing/manual-clock'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { createTenantDirectoryReader } from '../access/tenant-directory-reader.ts'
import { sequentialIds } from '../features-test-kit.ts'
import { createVendorKeyService } from './vendor-key-service.ts'
import { createVendorKeys, type OperatorKeys } from './vendor-keys.ts'

/** The provider that comes with every database. */
export const RESELLER = `provider_${'0'.repeat(26)}`
export const OTHER_RESELLER = `provider_${'2'.repeat(26)}`
/** Of PROVIDER, with the workspaces 1 and 2. */
export const TENANT = SEEDED_TENANT
/** Of PROVIDER, with workspace 3. */
export const SISTER_TENANT = '00000000-0000-4000-8000-00000000000b'
/** Of OTHER_RESELLER, with workspace 4. */
export const FOREIGN_TENANT = '00000000-0000-4000-8000-00000000000c'
/** Of OTHER_RESELLER, without any workspace. */
export const EMPTY_TENANT = '00000000-0000-4000-8000-00000000000d'

/** What is in the database of `openVendorKeys`. */
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

/** An actor with all scopes: `account` in the workspaces that are given, and whatever `changes` says. */
export function actorOf(role: Actor['role'], workspaceIds: readonly number[], changes: Partial<Actor> = {}): Actor {
  return {
    userId: 'user_1',
    credentialId: 'token_1',
    isSession: false,
    expiresAt: null,
    role,
    scopes: new Set(SCOPES),
    providerId: null,
    accountSid: null,
    workspaces: new Map(workspaceIds.map((id) => [id, { level: 'account', accountSid: tenantOf(id) }])),
    ...changes,
  }
}

/** A member's workspaces: its level in each. */
export function membershipsOf(levels: Readonly<Record<number, 'viewer' | 'editor' | 'admin'>>): Actor['workspaces'] {
  return new Map(Object.entries(levels).map(([id, level]) => [Number(id), { level, accountSid: tenantOf(Number(id)) }]))
}

function tenantOf(workspaceId: number): string {
  return TENANT_DIRECTORY.workspaces.get(workspaceId) ?? ''
}

export const PLATFORM_ADMIN = actorOf('platform_admin', [1, 2, 3, 4])
export const RESELLER_ADMIN = actorOf('provider_admin', [1, 2, 3], { providerId: RESELLER })
export const TENANT_ADMIN = actorOf('tenant_admin', [1, 2], { providerId: RESELLER, accountSid: TENANT })
/** Admin of workspace 1, editor of workspace 2. */
export const MEMBER = actorOf('end_user', [], { workspaces: membershipsOf({ 1: 'admin', 2: 'editor' }) })

/** The feature on a database with two providers, four tenants and four workspaces. */
export async function openVendorKeys(operatorKeys: OperatorKeys = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = manualClock()
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
        .values({ workspace_id, account_sid: tenantOf(workspace_id), ...fields })
        .execute()
    }
  })
  const makeId = sequentialIds()
  const bus = createInProcessBus(() => {})
  const secrets = createSecrets('a secret key of tests, long enough')
  const readTenantDirectory = createTenantDirectoryReader(database, clock)
  const keys = createVendorKeys({ database, clock, secrets, bus, readTenantDirectory, operatorKeys })
  const service = createVendorKeyService({ database, clock, makeId, secrets, readTenantDirectory, keys })
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
