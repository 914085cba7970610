import type { Clock } from '@parley/engine/ports'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { listOwners } from './key-owner.ts'
import {
  type EncryptedKey,
  findUsableKeys,
  type KeyedVendor,
  type VendorKey,
  type VendorKeys,
} from './vendor-key-store.ts'

/** Encryption purpose of stored keys. */
export const ENCRYPTION_PURPOSE = 'provider-key'
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
  /** Keys from the configuration, which are used if there is no stored key. */
  readonly operatorKeys: OperatorKeys
}

export type OperatorKeys = Readonly<
  Partial<Record<KeyedVendor, { readonly apiKey: string; readonly baseUrl: string | null }>>
>

/** Vendor keys with a cache. */
export interface CachedVendorKeys extends VendorKeys {
  /**
   * Clears the caches after a committed change. Takes effect immediately on this node and soon on other nodes.
   */
  announceChange(): void
}

interface WorkspaceKeys {
  /** Keys by service. Each key is decrypted on use, so that an unreadable key does not affect others. */
  readonly keyReaders: ReadonlyMap<string, () => VendorKey>
  readonly expiresAt: number
}

/** Creates the lookup of workspace keys. Results are at most five seconds old. */
export function createVendorKeys(dependencies: VendorKeysDependencies): CachedVendorKeys {
  const { database, clock, secrets, bus, operatorKeys } = dependencies
  const cache = new Map<number, WorkspaceKeys>()
  let changeCount = 0
  const clearCache = (): void => {
    changeCount += 1
    cache.clear()
  }
  bus.subscribe(CHANGED_TOPIC, clearCache)
  bus.onGap(clearCache)

  async function readWorkspaceKeys(workspaceId: number, now: number): Promise<WorkspaceKeys> {
    const directory = await dependencies.readTenantDirectory()
    const tenantId = directory.workspaces.get(workspaceId) ?? null
    const providerId = tenantId === null ? null : (directory.tenants.get(tenantId) ?? null)
    const usableKeys = await findUsableKeys(database.read, listOwners({ workspaceId, tenantId, providerId }))
    const keyReaders = new Map<string, () => VendorKey>()
    for (const key of usableKeys)
      if (!keyReaders.has(key.service)) keyReaders.set(key.service, createKeyReader(secrets, key))
    return { keyReaders, expiresAt: now + CACHE_TTL_MS }
  }

  async function getWorkspaceKeys(workspaceId: number): Promise<WorkspaceKeys> {
    const now = clock.now()
    const cachedKeys = cache.get(workspaceId)
    if (cachedKeys !== undefined && cachedKeys.expiresAt > now) return cachedKeys
    const changesBefore = changeCount
    const workspaceKeys = await readWorkspaceKeys(workspaceId, now)
    // A concurrent change may be missing from this result, so the result is not cached.
    if (changeCount === changesBefore) {
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(workspaceId, workspaceKeys)
    }
    return workspaceKeys
  }

  return {
    async findKey(workspaceId, service) {
      const { keyReaders } = await getWorkspaceKeys(workspaceId)
      const readKey = keyReaders.get(service)
      if (readKey !== undefined) return readKey()
      const operatorKey = operatorKeys[service]
      return operatorKey === undefined ? null : { ...operatorKey, isStored: false, isShared: true }
    },
    announceChange() {
      clearCache()
      bus.publish(CHANGED_TOPIC, null)
    },
  }
}

function createKeyReader(
  secrets: Pick<Secrets, 'decrypt'>,
  { service, ciphertext, baseUrl, isShared }: EncryptedKey,
): () => VendorKey {
  let key: VendorKey | undefined
  return () => {
    try {
      key ??= { apiKey: secrets.decrypt(ciphertext, ENCRYPTION_PURPOSE), baseUrl, isStored: true, isShared }
      return key
    } catch (cause) {
      // Does not fall back to another owner's key, because that owner would be charged.
      throw new AppError('provider_not_configured', describeUnreadableKey(service), { cause })
    }
  }
}

/** Returns the message for a key that was encrypted with another `SECRET_KEY`. */
export function describeUnreadableKey(service: string): string {
  return `The stored key for "${service}" cannot be read. Store it again.`
}
