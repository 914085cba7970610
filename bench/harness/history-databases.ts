import pg from 'pg'
import { compactCallCounts } from '../../packages/server/src/features/calls/call-counts.ts'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { openPostgresDatabase } from '../../packages/server/src/platform/database/open-postgres.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { temporarySqliteDatabase } from '../../testing/temporary-database.ts'
import type { DatabaseName } from './options.ts'

export interface HistoryDatabase {
  readonly database: Database
  /** Runs the maintenance that the database would otherwise run within minutes. */
  runMaintenance(): Promise<void>
}

/** Creates empty databases of one kind. Disposing the object deletes all of them. */
export interface HistoryDatabases extends AsyncDisposable {
  open(): Promise<HistoryDatabase>
}

/** Returns the requested database, or all databases available on the machine if none is requested. */
export function chooseDatabases(requested: DatabaseName | null): readonly DatabaseName[] {
  if (requested !== null) return [requested]
  if (findPostgres() !== null) return ['sqlite', 'postgres']
  console.log('Skipped PostgreSQL: version 15 or newer was not found.')
  return ['sqlite']
}

export async function openHistoryDatabases(name: DatabaseName): Promise<HistoryDatabases> {
  return name === 'sqlite' ? openSqlite() : await openPostgres()
}

function openSqlite(): HistoryDatabases {
  const resources = new AsyncDisposableStack()
  return {
    open: async () => ({
      database: resources.use(await temporarySqliteDatabase()),
      runMaintenance: () => Promise.resolve(),
    }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openPostgres(): Promise<HistoryDatabases> {
  const resources = new AsyncDisposableStack()
  const server = resources.use(await startPrivatePostgres({ durable: true }))
  return {
    async open() {
      const url = await server.createDatabase()
      const database = resources.adopt(await openPostgresDatabase({ url, clock: systemClock }), (openedDatabase) =>
        openedDatabase.close(),
      )
      return { database, runMaintenance: () => runPostgresMaintenance(database, url) }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Runs the server's maintenance: compacts call counts and vacuums the tables. */
async function runPostgresMaintenance(database: Database, url: string): Promise<void> {
  await compactCallCounts(database)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
