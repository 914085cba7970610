import type { Clock } from '@parley/engine/ports'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'

/** Where others write too, a new workspace or tenant is seen within this time. */
const CACHE_TTL_MS = 5_000
const TABLES = ['providers', 'tenants', 'workspaces'] as const

/** Who owns whom, as it was a moment ago at worst. */
export interface TenantDirectoryReader {
  (): Promise<TenantDirectory>
  /** Something may have changed elsewhere: the next one is read. */
  forget(): void
}

/** Reads who owns whom, again only after something of it has changed. */
export function createTenantDirectoryReader(database: Database, clock: Omit<Clock, 'after'>): TenantDirectoryReader {
  let known: { readonly directory: TenantDirectory; readonly count: number; readonly until: number } | null = null
  let generation = 0

  async function read(): Promise<TenantDirectory> {
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

  async function readCurrent(): Promise<TenantDirectory> {
    // Before the read: what a commit changes meanwhile is kept under a count that has passed.
    const count = database.changeCount(TABLES)
    const now = clock.now()
    if (known?.count === count && (database.capabilities.seesAllWrites || known.until > now)) return known.directory
    const startedGeneration = generation
    const directory = await read()
    // Read before somebody told of a change, it may be of yesterday.
    if (startedGeneration === generation) known = { directory, count, until: now + CACHE_TTL_MS }
    return directory
  }

  return Object.assign(readCurrent, {
    forget() {
      generation += 1
      known = null
    },
  })
}
