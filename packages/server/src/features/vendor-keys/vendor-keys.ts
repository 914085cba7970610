import type { Clock } from '@parley/engine/ports'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { listNamedOwners } from './key-owner.ts'
import {
  findUsableKeys,
  type KeyedVendor,
  type SealedKey,
  type VendorKey,
  type VendorKeys,
} from './vendor-key-store.ts'

/** Encryption purpose of stored keys. */
export const SEAL_PURPOSE = 'provider-key'
/** Announces that a key has changed. */
const CHANGED_TOPIC = 'provider-key.changed'
/** A change on another node takes effect within this time, even if its event is lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED = 1_000

interface VendorKeysDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<Clock, 'after'>
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly bus: Bus
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  /** Keys of the configuration, used as the last resort. */
  readonly operatorKeys: OperatorKeys
}

export type OperatorKeys = Readonly<
  Partial<Record<KeyedVendor, { readonly apiKey: string; readonly baseUrl: string | null }>>
>

/** Vendor keys with a cache. */
export interface CachedVendorKeys extends VendorKeys {
  /**
   * Announces a change. Call after the commit. This node uses the stored keys immediately, and other nodes soon after.
   */
  announceChange(): void
}

interface WorkspaceKeys {
  /** Keys by service. Each key is opened on use, so that an unreadable key does not affect others. */
  readonly open: ReadonlyMap<string, () => VendorKey>
  readonly until: number
}

/** Creates the lookup of workspace keys. Results are at most five seconds old. */
export function createVendorKeys(dependencies: VendorKeysDependencies): CachedVendorKeys {
  const { database, clock, secrets, bus, operatorKeys } = dependencies
  const cache = new Map<number, WorkspaceKeys>()
  let changes = 0
  const clearCache = (): void => {
    changes += 1
    cache.clear()
  }
  bus.subscribe(CHANGED_TOPIC, clearCache)
  bus.onGap(clearCache)

  async function readWorkspaceKeys(workspaceId: number, now: number): Promise<WorkspaceKeys> {
    const directory = await dependencies.readTenantDirectory()
    const tenantId = directory.workspaces.get(workspaceId) ?? null
    const providerId = tenantId === null ? null : (directory.tenants.get(tenantId) ?? null)
    const usableKeys = await findUsableKeys(database.read, listNamedOwners({ workspaceId, tenantId, providerId }))
    const open = new Map<string, () => VendorKey>()
    for (const key of usableKeys) if (!open.has(key.service)) open.set(key.service, createKeyOpener(secrets, key))
    return { open, until: now + CACHE_TTL_MS }
  }

  async function getWorkspaceKeys(workspaceId: number): Promise<WorkspaceKeys> {
    const now = clock.now()
    const cachedKeys = cache.get(workspaceId)
    if (cachedKeys !== undefined && cachedKeys.until > now) return cachedKeys
    const changesBefore = changes
    const current = await readWorkspaceKeys(workspaceId, now)
    // A concurrent change may be missing from this result, so the result is not cached.
    if (changes === changesBefore) {
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(workspaceId, current)
    }
    return current
  }

  return {
    async findKey(workspaceId, service) {
      const { open } = await getWorkspaceKeys(workspaceId)
      const openKey = open.get(service)
      if (openKey !== undefined) return openKey()
      const operatorKey = operatorKeys[service]
      return operatorKey === undefined ? null : { ...operatorKey, isStored: false }
    },
    announceChange() {
      clearCache()
      bus.publish(CHANGED_TOPIC, null)
    },
  }
}

function createKeyOpener(
  secrets: Pick<Secrets, 'decrypt'>,
  { service, ciphertext, baseUrl }: SealedKey,
): () => VendorKey {
  let key: VendorKey | undefined
  return () => {
    try {
      key ??= { apiKey: secrets.decrypt(ciphertext, SEAL_PURPOSE), baseUrl, isStored: true }
      return key
    } catch (cause) {
      // A fallback would charge another owner.
      throw new AppError('provider_not_configured', `The stored key for "${service}" cannot be read. Store it again.`, {
        cause,
      })
    }
  }
}
