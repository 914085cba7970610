import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'
import { sql } from 'kysely'
import { EncryptedValueError } from '../../kernel/security/secrets.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import { migrate, UNFINISHED_COPY } from '../database/migrator.ts'
import { computeFingerprint } from '../secrets/installation.ts'
import { createSecrets } from '../secrets/sealed-secrets.ts'
import { ArchiveError, addLocation, StoppedError } from './archive-error.ts'
import type { Address, Connection, ConnectionMode } from './connection.ts'
import { openPostgresConnection } from './postgres-connection.ts'
import { openSqliteConnection } from './sqlite-connection.ts'
import { createTableDigest, type TableDigest } from './table-digest.ts'
import { buildShapes, type Cell, getKeyIndexes, getTableRole, type Row, type TableShape } from './table-shape.ts'

/** Reports progress. `rows` is the number of rows read from the table so far. */
export type OnProgress = (action: string, table: string, rows: number) => void

export interface ProgressOptions {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/** Returns the names of the applied migrations, or an empty list if there is no schema. */
export async function readAppliedMigrations(connection: Connection): Promise<string[]> {
  const tables = await connection.describeTables()
  if (!tables.some(({ name }) => name === 'migrations')) return []
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(connection.kysely)
  return rows.map(({ name }) => name)
}

export async function readShapes(connection: Connection): Promise<TableShape[]> {
  return buildShapes(await connection.describeTables())
}

/** Returns the migrations of a source. Throws if the source is not an installation, is unfinished, or has a newer version. */
export async function readSourceMigrations(connection: Connection): Promise<string[]> {
  const migrationNames = await readAppliedMigrations(connection)
  const { location } = connection
  if (migrationNames.length === 0)
    throw new ArchiveError(`${location} does not contain an installation: check the address.`)
  if (migrationNames.includes(UNFINISHED_COPY)) {
    throw new ArchiveError(`${location} contains an unfinished copy: finish it with "npm run db:copy" first.`)
  }
  assertKnownMigrations(connection, migrationNames, location)
  return migrationNames
}

/** Throws if the data belongs to a newer version. */
export function assertKnownMigrations(
  { migrations }: Connection,
  migrationNames: readonly string[],
  source: string,
): void {
  const unknownMigration = migrationNames.find((step) => !migrations.some(({ name }) => name === step))
  if (unknownMigration === undefined) return
  throw new ArchiveError(
    `${source} was written by a newer version of Parley (migration ${unknownMigration}): use that version.`,
  )
}

/** Applies these migrations in the open transaction; defaults to all. */
export async function applyMigrations(
  connection: Connection,
  clock: Omit<Clock, 'after'>,
  migrationNames?: readonly string[],
): Promise<void> {
  const selectedMigrations = connection.migrations.filter(({ name }) => migrationNames?.includes(name) ?? true)
  const database = {
    transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) =>
      work(connection.kysely as unknown as Transaction),
  }
  await migrate(database, clock, selectedMigrations)
}

/** Deletes the rows that migrations inserted. */
export async function emptyTables(connection: Connection, shapes: readonly TableShape[]): Promise<void> {
  for (const { name } of shapes.toReversed()) await sql`delete from ${sql.table(name)}`.execute(connection.kysely)
}

/** Describes the tables of a target that contain more rows than a new schema. */
async function describeTablesWithData(connection: Connection): Promise<string[]> {
  const tables = (await connection.describeTables()).filter(({ name }) => getTableRole(name) !== null)
  const hasSchema = (await readAppliedMigrations(connection)).length > 0
  if (!hasSchema) return tables.map(({ name }) => `${name} (not a Parley table)`)
  const tableSummaries: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(name)}`.execute(
      connection.kysely,
    )
    const total = Number(rows[0]?.total)
    if (total > (name === 'providers' || name === 'number_counter' ? 1 : 0))
      tableSummaries.push(`${name} (${total} rows)`)
  }
  return tableSummaries
}

/** Throws if the target contains data. */
export async function assertEmpty(connection: Connection): Promise<void> {
  const tableSummaries = await describeTablesWithData(connection)
  if (tableSummaries.length === 0) return
  const listedTables =
    tableSummaries.slice(0, 5).join(', ') +
    (tableSummaries.length > 5 ? ` and ${tableSummaries.length - 5} more tables` : '')
  throw new ArchiveError(`${connection.location} already contains data: ${listedTables}. Use an empty database.`)
}

/** A batch of a table's rows, each with its canonical line. */
export interface RowBatch {
  readonly rows: readonly Row[]
  readonly lines: readonly string[]
}

export interface ReadRowsOptions {
  /** Time at which the installation counts as stopped. Running work is reset to this time. Null leaves rows unchanged. */
  readonly stoppedAt: number | null
  /** Key of the row after which reading starts. */
  readonly after?: readonly Cell[] | undefined
  readonly signal: AbortSignal
}

/** Yields all rows in key order. */
export async function* readRows(
  connection: Connection,
  shape: TableShape,
  { stoppedAt, after, signal }: ReadRowsOptions,
): AsyncIterable<RowBatch> {
  const names = sql.join(shape.columns.map(({ name }) => sql.ref(name)))
  const key = sql.join(shape.key.map((name) => sql.ref(name)))
  const keyCondition = after === undefined ? sql`` : sql` where (${key}) > (${sql.join(after)})`
  const query = sql`select ${names} from ${sql.table(shape.name)}${keyCondition} order by ${key}`.compile(
    connection.kysely,
  )
  const transformRow = stoppedAt === null ? null : createStopTransform(shape, stoppedAt)
  for await (const rowBatch of connection.stream(query, shape.columns)) {
    if (signal.aborted) throw new StoppedError('Stopped.')
    const rows = transformRow === null ? rowBatch : rowBatch.map(transformRow)
    yield { rows, lines: rows.map((row) => JSON.stringify(row)) }
    // Lets signal handlers run between two batches.
    await scheduler.yield()
  }
}

/** Reads all tables and returns their counts and digests. */
export async function digestTables(
  connection: Connection,
  shapes: readonly TableShape[],
  {
    stoppedAt,
    action,
    signal,
    onProgress,
  }: ProgressOptions & { readonly stoppedAt: number | null; readonly action: string },
): Promise<Map<string, TableDigest>> {
  const digests = new Map<string, TableDigest>()
  for (const shape of shapes) {
    const digest = createTableDigest()
    let rows = 0
    for await (const { lines } of readRows(connection, shape, { stoppedAt, signal })) {
      digest.add(lines)
      rows += lines.length
      onProgress(action, shape.name, rows)
    }
    digests.set(shape.name, digest.finish())
  }
  return digests
}

/** Returns the key of a row, for use as `after` in `readRows`. */
export function getRowKey(shape: TableShape, row: Row): Cell[] {
  return getKeyIndexes(shape).map((index) => row[index] ?? null)
}

/** Columns encrypted with the secret key. */
const ENCRYPTED_COLUMNS = [
  { table: 'signing_secrets', column: 'ciphertext' },
  { table: 'provider_keys', column: 'ciphertext' },
] as const

/** Throws unless the key belongs to the installation. Checks the key's fingerprint and the latest secrets. */
export async function assertKeyDecryptsSecrets(connection: Connection, secretKey: string): Promise<void> {
  const secrets = createSecrets(secretKey)
  const tables = new Set((await connection.describeTables()).map(({ name }) => name))
  const wrongKeyError = new ArchiveError(
    `The secret key does not match ${connection.location}: set its SECRET_KEY, or copy its secret.key file into ` +
      'DATA_DIR.',
  )
  if (tables.has('installation')) {
    const { rows } = await sql<{ value: string }>`
      select value from installation where name = 'secret_key_fingerprint'
    `.execute(connection.kysely)
    if (rows.some(({ value }) => value !== computeFingerprint(secretKey))) throw wrongKeyError
  }
  for (const { table, column } of ENCRYPTED_COLUMNS) {
    if (!tables.has(table)) continue
    const { rows } = await sql<{ encryptedText: string }>`
      select ${sql.ref(column)} as "encryptedText" from ${sql.table(table)} order by created_at desc limit 1
    `.execute(connection.kysely)
    const [row] = rows
    if (row !== undefined && isWrongKey(() => secrets.decrypt(row.encryptedText, 'any'))) throw wrongKeyError
  }
}

/** Whether decryption fails because the key is wrong. Decryption checks the key before the purpose, so any purpose works. */
function isWrongKey(decrypt: () => string): boolean {
  try {
    decrypt()
    return false
  } catch (error) {
    return error instanceof EncryptedValueError && error.reason === 'wrong-key'
  }
}

type RowChange = (getCell: (column: string) => Cell) => Readonly<Record<string, Cell>> | null

/** Running work has no owner in the target, so jobs become pending again and turns become interrupted. */
const ROW_CHANGES: Readonly<Record<string, (stoppedAt: number) => RowChange>> = {
  jobs: () => (getCell) => {
    if (getCell('status') !== 'running') return null
    // Stopping a job does not count as an attempt.
    const attempts = Math.max(0, Number(getCell('attempts')) - 1)
    return { status: 'pending', leased_by: null, lease_until: null, attempts }
  },
  turns: (stoppedAt) => (getCell) => ({
    node_id: null,
    ...(getCell('status') === 'running' && { status: 'interrupted', ended_at: stoppedAt }),
  }),
  chats: () => () => ({ active_turn_id: null }),
}

/**
 * Creates a function that changes a table's rows as if the installation had stopped at `stoppedAt`. Ignores columns that
 * the table does not have.
 */
export function createStopTransform({ name, columns }: TableShape, stoppedAt: number): (row: Row) => Row {
  const getChanges = ROW_CHANGES[name]?.(stoppedAt)
  if (getChanges === undefined) return (row) => row
  const columnIndexes = new Map(columns.map((column, index) => [column.name, index]))
  return (row) => {
    const changes = getChanges((column) => row[columnIndexes.get(column) ?? -1] ?? null)
    if (changes === null) return row
    const newRow = [...row]
    for (const [column, cell] of Object.entries(changes)) {
      const index = columnIndexes.get(column)
      if (index !== undefined) newRow[index] = cell
    }
    return newRow
  }
}

/** Opens the database. Creates a file only in `write` mode. Errors name the location. */
export async function openConnection(address: Address, mode: ConnectionMode): Promise<Connection> {
  try {
    return await (address.kind === 'postgres'
      ? openPostgresConnection(address, mode)
      : openSqliteConnection(address, mode))
  } catch (error) {
    throw addLocation(error, address.location)
  }
}
