import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'
import { sql } from 'kysely'
import type { Transaction } from '../../kernel/storage/database.ts'
import { migrate, UNFINISHED_COPY } from '../database/migrator.ts'
import { ArchiveError, StoppedError } from './archive-error.ts'
import type { Connection } from './connection.ts'
import { createRowSettler } from './settle-rows.ts'
import { createTableDigest, type TableDigest } from './table-digest.ts'
import { roleOf } from './table-roles.ts'
import { type Cell, keyIndexes, type Row, shapesOf, type TableShape } from './table-shape.ts'

/** Tells how far it is; `rows` are those of the table until now. */
export type OnProgress = (work: string, table: string, rows: number) => void

export interface ProgressOptions {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/** Names of the steps that the schema has; empty when there is none. */
export async function readAppliedMigrations(connection: Connection): Promise<string[]> {
  const tables = await connection.describeTables()
  if (!tables.some(({ name }) => name === 'migrations')) return []
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(connection.kysely)
  return rows.map(({ name }) => name)
}

export async function readShapes(connection: Connection): Promise<TableShape[]> {
  return shapesOf(await connection.describeTables())
}

/** Steps of the schema of an installation to be read. Throws when it is none, is unfinished or of a newer version. */
export async function readSourceMigrations(connection: Connection): Promise<string[]> {
  const steps = await readAppliedMigrations(connection)
  const { place } = connection
  if (steps.length === 0) throw new ArchiveError(`There is no installation in ${place}: nothing to read.`)
  if (steps.includes(UNFINISHED_COPY)) {
    throw new ArchiveError(`${place} holds a copy that was not finished: finish it with "npm run db:copy" first.`)
  }
  assertKnownMigrations(connection, steps, place)
  return steps
}

/** Refuses what a newer version has written. */
export function assertKnownMigrations({ migrations }: Connection, steps: readonly string[], what: string): void {
  const unknown = steps.find((step) => !migrations.some(({ name }) => name === step))
  if (unknown === undefined) return
  throw new ArchiveError(`${what} comes from a newer version of Parley (schema step ${unknown}): use that version.`)
}

/** Brings the schema to these steps, within the open transaction; to the newest when absent. */
export async function applyMigrations(
  connection: Connection,
  clock: Omit<Clock, 'after'>,
  steps?: readonly string[],
): Promise<void> {
  const wanted = connection.migrations.filter(({ name }) => steps?.includes(name) ?? true)
  const database = {
    transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) =>
      work(connection.kysely as unknown as Transaction),
  }
  await migrate(database, clock, wanted)
}

/** Takes away what the steps of the schema put into tables themselves. */
export async function emptyTables(connection: Connection, shapes: readonly TableShape[]): Promise<void> {
  for (const { name } of shapes.toReversed()) await sql`delete from ${sql.table(name)}`.execute(connection.kysely)
}

/** What a target holds already: tables with their numbers of rows. What a fresh schema has by itself does not count. */
async function findTablesWithData(connection: Connection): Promise<string[]> {
  const tables = (await connection.describeTables()).filter(({ name }) => roleOf(name) !== null)
  const hasSchema = (await readAppliedMigrations(connection)).length > 0
  if (!hasSchema) return tables.map(({ name }) => `${name} (not of Parley)`)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(name)}`.execute(
      connection.kysely,
    )
    const total = Number(rows[0]?.total)
    if (total > (name === 'providers' || name === 'number_counter' ? 1 : 0)) found.push(`${name} (${total} rows)`)
  }
  return found
}

/** Refuses a target that is in use. */
export async function assertEmpty(connection: Connection): Promise<void> {
  const found = await findTablesWithData(connection)
  if (found.length === 0) return
  const named = found.slice(0, 5).join(', ') + (found.length > 5 ? ` and ${found.length - 5} more tables` : '')
  throw new ArchiveError(`${connection.place} already holds data: ${named}. Name an empty database.`)
}

/** A portion of a table's rows, and each as its canonical line. */
export interface RowBatch {
  readonly rows: readonly Row[]
  readonly lines: readonly string[]
}

export interface ReadRowsOptions {
  /** Rows are read as those of an installation that stopped then. As they are when null. */
  readonly settledAt: number | null
  /** Begin behind the row with this key. */
  readonly after?: readonly Cell[] | undefined
  readonly signal: AbortSignal
}

/** All rows in the order of their keys. */
export async function* readRows(
  connection: Connection,
  shape: TableShape,
  { settledAt, after, signal }: ReadRowsOptions,
): AsyncIterable<RowBatch> {
  const names = sql.join(shape.columns.map(({ name }) => sql.ref(name)))
  const key = sql.join(shape.key.map((name) => sql.ref(name)))
  const rest = after === undefined ? sql`` : sql` where (${key}) > (${sql.join(after)})`
  const query = sql`select ${names} from ${sql.table(shape.name)}${rest} order by ${key}`.compile(connection.kysely)
  const settle = settledAt === null ? null : createRowSettler(shape, settledAt)
  for await (const rowBatch of connection.stream(query, shape.columns)) {
    if (signal.aborted) throw new StoppedError('Stopped.')
    const rows = settle === null ? rowBatch : rowBatch.map(settle)
    yield { rows, lines: rows.map((row) => JSON.stringify(row)) }
    // Signals are heard between two portions.
    await scheduler.yield()
  }
}

/** Counts and digests of all tables, read now. */
export async function digestTables(
  connection: Connection,
  shapes: readonly TableShape[],
  {
    settledAt,
    work,
    signal,
    onProgress,
  }: ProgressOptions & { readonly settledAt: number | null; readonly work: string },
): Promise<Map<string, TableDigest>> {
  const digests = new Map<string, TableDigest>()
  for (const shape of shapes) {
    const digest = createTableDigest()
    let rows = 0
    for await (const { lines } of readRows(connection, shape, { settledAt, signal })) {
      digest.add(lines)
      rows += lines.length
      onProgress(work, shape.name, rows)
    }
    digests.set(shape.name, digest.finish())
  }
  return digests
}

/** The key of a row, as the order of `readRows` goes on behind it. */
export function keyOf(shape: TableShape, row: Row): Cell[] {
  return keyIndexes(shape).map((index) => row[index] ?? null)
}
