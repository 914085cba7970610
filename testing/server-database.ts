import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import type { NodeDatabase } from '../packages/server/src/platform/database/node-database.ts'
import { openPostgresDatabase } from '../packages/server/src/platform/database/open-postgres.ts'
import { openDatabase } from '../packages/server/src/platform/database/sqlite-database.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import type { RunningServer, ServerClient } from './running-server.ts'

type StoredServer = Pick<ServerClient, 'dataDirectory' | 'databaseUrl'>

const BUSY_TIMEOUT_MS = 5_000
const QUERY_TIMEOUT_MS = 30_000
const CONNECTIONS = 2

/** Runs `work` on the database of a server. A running server is not notified of changes. */
export async function withDatabase<Result>(
  server: StoredServer,
  work: (database: NodeDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openServerDatabase(server)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Stops a server, runs `work` on its database, and restarts the server. */
export async function withStoppedServer(
  server: RunningServer,
  work: (database: NodeDatabase) => Promise<void>,
): Promise<void> {
  await server.stop()
  await withDatabase(server, work)
  await server.start()
}

function openServerDatabase({ dataDirectory, databaseUrl: url }: StoredServer): Promise<NodeDatabase> {
  if (url === null) return openDatabase({ file: getDatabaseFile(dataDirectory), clock: systemClock })
  return openPostgresDatabase({ url, clock: systemClock, random: Math.random, connections: CONNECTIONS })
}

const getDatabaseFile = (dataDirectory: string): string => join(dataDirectory, 'parley.db')

/** Runs a statement outside the stores, for example to corrupt a row. */
export async function execute(database: NodeDatabase, statement: RawBuilder<unknown>): Promise<void> {
  await database.transaction((transaction) => statement.execute(transaction))
}

/** Returns every table with its rows as JSON, in an order that does not depend on the time of changes. */
export async function readAllTables(server: StoredServer): Promise<Record<string, readonly string[]>> {
  const rows =
    server.databaseUrl === null ? readSqliteTables(server.dataDirectory) : await readPostgresTables(server.databaseUrl)
  return Object.fromEntries(rows.map(([table, texts]) => [table, texts.sort()]))
}

type TableRows = readonly [table: string, rows: string[]]

/**
 * Reads the file directly, because the database port supports neither tables of a text index nor integers beyond JavaScript's
 * range.
 */
function readSqliteTables(dataDirectory: string): TableRows[] {
  const database = new DatabaseSync(getDatabaseFile(dataDirectory), { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    const tables = database
      .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`)
      .all()
    return tables.map(({ name }): TableRows => {
      const statement = database.prepare(`select * from "${name}"`)
      statement.setReadBigInts(true)
      return [String(name), statement.all().map((row) => JSON.stringify(row, printBigInt))]
    })
  } finally {
    database.close()
  }
}

function printBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

async function readPostgresTables(url: string): Promise<TableRows[]> {
  const client = new pg.Client({ connectionString: url, query_timeout: QUERY_TIMEOUT_MS })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`,
    )
    // A single statement reads a consistent state.
    const selects = tables.map(
      ({ name }) => `select '${name}' as name, coalesce(array_agg(to_jsonb(t)::text), '{}') as rows from "${name}" t`,
    )
    const { rows } = await client.query<{ name: string; rows: string[] }>(selects.join(' union all '))
    return rows.map((row): TableRows => [row.name, row.rows])
  } finally {
    await client.end()
  }
}

/** Returns the stored rows of a table that match `expectedFields`. */
export async function findRows(
  database: NodeDatabase,
  table: string,
  expectedFields: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>[]> {
  const conditions = Object.entries(expectedFields).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const query = sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`
  return (await query.execute(database.read)).rows
}

/** PostgreSQL and SQLite support far more bound values, but the text of longer statements costs more than it saves. */
const ROWS_PER_STATEMENT = 250

/** Writes all rows in one transaction. */
export async function insertRows(
  database: NodeDatabase,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)))
  const statements = []
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const values = rows.slice(start, start + ROWS_PER_STATEMENT).map((row) => sql`(${sql.join(Object.values(row))})`)
    const insert = sql`insert into ${sql.table(table)} (${columns}) values ${sql.join(values)}`
    statements.push({ query: insert.compile(database.queryBuilder) })
  }
  await database.batch(statements)
}
