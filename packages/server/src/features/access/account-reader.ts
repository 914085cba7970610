import type { Clock } from '@parley/engine/ports'
import type { AccountDirectory } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'

/** Where others write too, a new workspace or tenant is seen within this time. */
const CACHED_MS = 5_000
const TABLES = ['providers', 'tenants', 'workspaces'] as const

/** Who owns whom, as it was a moment ago at worst. */
export interface AccountReader {
  (): Promise<AccountDirectory>
  /** Something may have changed elsewhere: the next one is read. */
  forget(): void
}

/** Reads who owns whom, again only after something of it has changed. */
export function createAccountReader(database: Database, clock: Omit<Clock, 'after'>): AccountReader {
  let known: { readonly directory: AccountDirectory; readonly count: number; readonly until: number } | null = null
  let generation = 0

  async function read(): Promise<AccountDirectory> {
    const [providers, tenants, workspaces] = await Promise.all([
      database.read.selectFrom('providers').select('provider_id').execute(),
      database.read.selectFrom('tenants').select(['account_sid', 'provider_id']).execute(),
      database.read.selectFrom('workspaces').select(['workspace_id', 'account_sid']).execute(),
    ])
    return {
      providers: new Set(providers.map((row) => row.provider_id)),
      tenants: new Map(tenants.map((row) => [row.account_sid, row.provider_id])),
      workspaces: new Map(workspaces.map((row) => [row.workspace_id, row.account_sid])),
    }
  }

  async function readCurrent(): Promise<AccountDirectory> {
    // Before the read: what a commit changes meanwhile is kept under a count that has passed.
    const count = database.changeCount(TABLES)
    const now = clock.now()
    if (known?.count === count && (database.capabilities.knowsEveryWrite || known.until > now)) return known.directory
    const startedIn = generation
    const directory = await read()
    // Read before somebody told of a change, it may be of yesterday.
    if (startedIn === generation) known = { directory, count, until: now + CACHED_MS }
    return directory
  }

  return Object.assign(readCurrent, {
    forget() {
      generation += 1
      known = null
    },
  })
}
