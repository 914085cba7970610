import pg from 'pg'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { openPostgresDatabase } from '../../packages/server/src/platform/database/open-postgres.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { startPrivatePostgres } from '../../testing/private-postgres.ts'
import { seedWorkspaces } from '../../testing/seed-workspaces.ts'
import { temporarySqliteDatabase } from '../../testing/temporary-database.ts'
import type { DatabaseName } from './options.ts'

/** A database with workspaces that other processes can also open. */
export interface SearchDatabase {
  readonly database: Database
  /** File path or URL of the database. */
  readonly databaseLocation: string
  /** Runs the maintenance that the database would otherwise run within minutes. */
  runMaintenance(): Promise<void>
}

/** Runs a function on an empty database and deletes the database afterwards. */
export async function withSearchDatabase<Result>(
  name: DatabaseName,
  run: (opened: SearchDatabase) => Promise<Result>,
): Promise<Result> {
  return name === 'sqlite' ? await withSqlite(run) : await withPostgres(run)
}

async function withSqlite<Result>(run: (opened: SearchDatabase) => Promise<Result>): Promise<Result> {
  await using database = await temporarySqliteDatabase()
  await seedWorkspaces(database)
  return await run({ database, databaseLocation: database.file, runMaintenance: () => Promise.resolve() })
}

async function withPostgres<Result>(run: (opened: SearchDatabase) => Promise<Result>): Promise<Result> {
  await using server = await startPrivatePostgres({ durable: true })
  const databaseLocation = await server.createDatabase()
  const database = await openPostgresDatabase({ url: databaseLocation, clock: systemClock })
  try {
    await seedWorkspaces(database)
    return await run({ database, databaseLocation, runMaintenance: () => vacuum(databaseLocation) })
  } finally {
    await database.close()
  }
}

async function vacuum(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
