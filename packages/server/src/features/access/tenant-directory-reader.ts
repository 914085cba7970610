import type { Clock } from '@parley/engine/ports'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'

/** Maximum delay until new workspaces and tenants are visible on other nodes. */
const CACHE_TTL_MS = 5_000
const TABLES = ['providers', 'tenants', 'workspaces'] as const

/** Returns the ownership hierarchy, at most a few seconds old. */
export interface TenantDirectoryReader {
  (): Promise<TenantDirectory>
  /** Forces the next call to read the database. */
  invalidate(): void
}

/** Creates a reader that caches the ownership hierarchy until one of its tables changes. */
export function createTenantDirectoryReader(database: Database, clock: Omit<Clock, 'after'>): TenantDirectoryReader {
  let cache: { readonly directory: TenantDirectory; readonly changeCount: number; readonly expiresAt: number } | null =
    null
  let generation = 0

  async function readDirectory(): Promise<TenantDirectory> {
    const [resellers, tenants, workspaces] = await Promise.all([
      database.read.selectFrom('providers').select('provider_id').execute(),
      database.read.selectFrom('tenants').select(['account_sid', 'provider_id']).execute(),
      database.read.selectFrom('workspaces').select(['workspace_id', 'account_sid']).execute(),
    ])
    return {
      resellers: new Set(resellers.map((row) => row.provider_id)),
      tenants: new Map(tenants.map((row) => [row.account_sid, row.provider_id])),
      workspaces: new Map(workspaces.map((row) => [row.workspace_id, row.account_sid])),
    }
  }

  async function getDirectory(): Promise<TenantDirectory> {
    // Reads the counter before the tables, so that a commit during the read invalidates the result.
    const changeCount = database.getChangeCount(TABLES)
    const now = clock.now()
    if (cache?.changeCount === changeCount && (database.capabilities.seesAllWrites || cache.expiresAt > now))
      return cache.directory
    const startedGeneration = generation
    const directory = await readDirectory()
    // A read that started before `invalidate()` may be outdated.
    if (startedGeneration === generation) cache = { directory, changeCount, expiresAt: now + CACHE_TTL_MS }
    return directory
  }

  return Object.assign(getDirectory, {
    invalidate() {
      generation += 1
      cache = null
    },
  })
}
