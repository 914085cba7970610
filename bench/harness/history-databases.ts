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
  console.log('PostgreSQL is left out: none of version 15 or newer was found.')
  return ['sqlite']
}

export async function openHistoryDatabases(name: DatabaseName): Promise<HistoryDatabases> {
  return name === 'sqlite' ? openSqlite() : await openPostgres()
}

function openSqlite(): HistoryDatabases {
  const opened = new AsyncDisposableStack()
  return {
    open: async () => ({
      database: opened.use(await temporarySqliteDatabase()),
      runMaintenance: () => Promise.resolve(),
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function openPostgres(): Promise<HistoryDatabases> {
  const opened = new AsyncDisposableStack()
  const server = opened.use(await startPrivatePostgres({ durable: true }))
  return {
    async open() {
      const url = await server.createDatabase()
      const database = opened.adopt(await openPostgresDatabase({ url, clock: systemClock }), (one) => one.close())
      return { database, runMaintenance: () => runPostgresMaintenance(database, url) }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Runs the server's maintenance: counts are folded by the minute, and rows are analyzed and marked as visible. */
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
