import type { Clock } from '@parley/engine/ports'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { namedOwners } from './key-owner.ts'
import {
  findUsableKeys,
  type KeyedVendor,
  type SealedKey,
  type VendorKey,
  type VendorKeys,
} from './vendor-key-store.ts'

/** What keys are sealed for. */
export const SEAL_PURPOSE = 'provider-key'
/** Tells every node that some key has changed. */
const CHANGED_TOPIC = 'provider-key.changed'
/** A change of another node is seen within this time, should its event be lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED = 1_000

export interface VendorKeysDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<Clock, 'after'>
  readonly secrets: Pick<Secrets, 'open'>
  readonly bus: Bus
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  /** The keys of the configuration: what is left for whoever has none. */
  readonly operatorKeys: OperatorKeys
}

export type OperatorKeys = Readonly<
  Partial<Record<KeyedVendor, { readonly apiKey: string; readonly baseUrl: string | null }>>
>

/** Keys as features use them; told when a key was written. */
export interface CachedVendorKeys extends VendorKeys {
  /** Call it after the commit: from then on this node uses what is stored, and the others soon. */
  announceChange(): void
}

interface WorkspaceKeys {
  /** By service; sealed until somebody asks for it, so that one that does not open leaves the others alone. */
  readonly open: ReadonlyMap<string, () => VendorKey>
  readonly until: number
}

/** Finds the keys of workspaces; what it knows is at most five seconds old. */
export function createVendorKeys(dependencies: VendorKeysDependencies): CachedVendorKeys {
  const { database, clock, secrets, bus, operatorKeys } = dependencies
  const cache = new Map<number, WorkspaceKeys>()
  let changes = 0
  const forget = (): void => {
    changes += 1
    cache.clear()
  }
  bus.subscribe(CHANGED_TOPIC, forget)
  bus.onGap(forget)

  async function read(workspaceId: number, now: number): Promise<WorkspaceKeys> {
    const directory = await dependencies.readTenantDirectory()
    const tenantId = directory.workspaces.get(workspaceId) ?? null
    const providerId = tenantId === null ? null : (directory.tenants.get(tenantId) ?? null)
    const found = await findUsableKeys(database.read, namedOwners({ workspaceId, tenantId, providerId }))
    const open = new Map<string, () => VendorKey>()
    for (const key of found) if (!open.has(key.service)) open.set(key.service, openOnce(secrets, key))
    return { open, until: now + CACHE_TTL_MS }
  }

  async function keysOf(workspaceId: number): Promise<WorkspaceKeys> {
    const now = clock.now()
    const known = cache.get(workspaceId)
    if (known !== undefined && known.until > now) return known
    const changesBefore = changes
    const current = await read(workspaceId, now)
    // What changed during the read may be missing in it: good for this caller, who asked before, but not to keep.
    if (changes === changesBefore) {
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(workspaceId, current)
    }
    return current
  }

  return {
    async keyFor(workspaceId, service) {
      const { open } = await keysOf(workspaceId)
      const stored = open.get(service)
      if (stored !== undefined) return stored()
      const operators = operatorKeys[service]
      return operators === undefined ? null : { ...operators, isStored: false }
    },
    announceChange() {
      forget()
      bus.publish(CHANGED_TOPIC, null)
    },
  }
}

function openOnce(secrets: Pick<Secrets, 'open'>, { service, ciphertext, baseUrl }: SealedKey): () => VendorKey {
  let opened: VendorKey | undefined
  return () => {
    try {
      opened ??= { apiKey: secrets.open(ciphertext, SEAL_PURPOSE), baseUrl, isStored: true }
      return opened
    } catch (cause) {
      // Another key in its place would be charged to somebody else.
      throw new AppError('provider_not_configured', `The stored key for "${service}" cannot be read; store it again.`, {
        cause,
      })
    }
  }
}
