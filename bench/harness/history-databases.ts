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
  /** What a database does of its own within minutes of being filled, done now. */
  runMaintenance(): Promise<void>
}

/** Opens empty databases of one kind, all of which are gone when it is disposed. */
export interface HistoryDatabases extends AsyncDisposable {
  open(): Promise<HistoryDatabase>
}

/** Which databases a bench is about: the one asked for, else all that the machine has. */
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

/** Counts are folded by the minute; rows are analysed and marked as visible by the server's own maintenance. */
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
