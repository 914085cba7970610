import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult } from 'kysely'
import pg from 'pg'
import { POSTGRES_MIGRATIONS } from '../database/migrator.ts'
import { buildConnectionSettings } from '../database/postgres-connections.ts'
import { createPostgresDialect } from '../database/postgres-dialect.ts'
import { createSingleConnectionDriver } from '../database/single-connection-driver.ts'
import { ArchiveError } from './archive-error.ts'
import type { Address, Connection, ConnectionMode } from './connection.ts'
import type { Cell, Column, DescribedTable, Row, TableShape } from './table-shape.ts'

/** The slowest statements add an index to a table with millions of rows. */
const STATEMENT_TIMEOUT_MS = 600_000
const LOCK_TIMEOUT_MS = 10_000
/** Limits of a batch. The number of rows adapts to about this many characters. */
const MAX_ROWS = 2_000
const INITIAL_PAGE_ROWS = 200
const TARGET_PAGE_CHARACTERS = 1_000_000

/** Arbitrary number. The lock prevents two concurrent copies into one database. */
const ADVISORY_LOCK = 7_295_391_043
const LOCK_NOT_AVAILABLE = '55P03'

/** Returns values as printed by the server. `readCell` parses them by column kind. */
const textTypes = { getTypeParser: () => (text: string) => text }

/** Opens a separate connection. In `write` mode, the connection takes a lock against concurrent copies. */
export async function openPostgresConnection(
  { url, location }: Extract<Address, { kind: 'postgres' }>,
  mode: ConnectionMode,
): Promise<Connection> {
  const client = new pg.Client({
    ...buildConnectionSettings(url),
    application_name: 'parley-archive',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  })
  // A broken connection is reported by the next statement.
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (mode === 'read') await client.query('begin isolation level repeatable read, read only')
    else await lockForWriting(client, location)
    return new PostgresConnection(client, location)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

async function lockForWriting(client: pg.Client, location: string): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_encoding') as encoding, current_schema() as schema",
  )
  const [row] = rows as { encoding: string; schema: string | null }[]
  if (row?.encoding !== 'UTF8')
    throw new ArchiveError(
      `The encoding of the database ${location} must be UTF8. Recreate the database with encoding UTF8.`,
    )
  if (row.schema === null)
    throw new ArchiveError(`The database ${location} has no schema for its user: grant the user access to one.`)
  try {
    // The connection of a killed copy can still be open for a moment, so this waits.
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new ArchiveError(`Another copy into ${location} is running: wait until it ends.`)
  }
}

class PostgresConnection implements Connection, DatabaseConnection {
  readonly location: string
  readonly kysely: Kysely<unknown>
  readonly migrations = POSTGRES_MIGRATIONS
  readonly #client: pg.Client

  constructor(client: pg.Client, location: string) {
    this.#client = client
    this.location = location
    const driver = createSingleConnectionDriver(this, 'Use the transaction methods of the connection.')
    this.kysely = new Kysely({ dialect: createPostgresDialect(driver) })
  }

  async executeQuery<Result>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Result>> {
    const { rows } = await this.#client.query(sql, [...parameters])
    return { rows: rows as Result[] }
  }

  streamQuery<Result>(): AsyncIterableIterator<QueryResult<Result>> {
    throw new Error('Use `stream` to stream rows.')
  }

  async describeTables(): Promise<DescribedTable[]> {
    const { rows } = await this.#client.query(`
      select t.relname as name,
        (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
          from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
          as columns,
        coalesce((select json_agg(a.attname order by array_position(i.indkey, a.attnum))
          from pg_index i join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey)
          where i.indrelid = t.oid and i.indisprimary), '[]') as key,
        coalesce((select json_agg(distinct p.relname) from pg_constraint c join pg_class p on p.oid = c.confrelid
          where c.conrelid = t.oid and c.contype = 'f'), '[]') as "references"
      from pg_class t
      where t.relkind in ('r', 'p') and not t.relispartition and t.relnamespace = current_schema()::regnamespace`)
    return rows as DescribedTable[]
  }

  async countServerConnections(): Promise<number> {
    const { rows } = await this.#client.query(
      'select count(*) as total from pg_stat_activity where datname = current_database() and application_name = $1',
      [buildConnectionSettings('').application_name],
    )
    return Number(rows[0]?.total)
  }

  async *stream(query: CompiledQuery, columns: readonly Column[]): AsyncIterable<readonly Row[]> {
    await this.#client.query(`declare archive_rows no scroll cursor for ${query.sql}`, [...query.parameters])
    let limit = INITIAL_PAGE_ROWS
    try {
      for (;;) {
        const page = await this.#client.query({
          text: `fetch ${limit} from archive_rows`,
          rowMode: 'array',
          types: textTypes as pg.CustomTypesConfig,
        })
        const texts = page.rows as unknown as (string | null)[][]
        if (texts.length === 0) return
        yield texts.map((row) => columns.map(({ kind }, index) => readCell(kind, row[index] ?? null)))
        if (texts.length < limit) return
        limit = getNextLimit(texts)
      }
    } finally {
      // A failed transaction has no cursor to close.
      await this.#client.query('close archive_rows').catch(() => undefined)
    }
  }

  async insert({ name, columns }: TableShape, rows: readonly (readonly Cell[])[]): Promise<void> {
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const casts = columns.map(({ kind }, index) => `$${index + 1}::${ARRAY_TYPES[kind]}`).join(', ')
    const values = columns.map((_column, index) => rows.map((row) => row[index] ?? null))
    await this.#client.query(`insert into "${name}" (${names}) select * from unnest(${casts})`, values)
  }

  async begin(): Promise<void> {
    await this.#client.query('begin')
  }

  async commit(): Promise<void> {
    await this.#client.query('commit')
  }

  async rollback(): Promise<void> {
    await this.#client.query('rollback')
  }

  async checkReferences(): Promise<void> {
    // Does nothing, because the server checks each row.
  }

  async analyze(): Promise<void> {
    await this.#client.query('analyze')
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close().catch(() => undefined)
  }
}

const ARRAY_TYPES: Readonly<Record<Column['kind'], string>> = { text: 'text[]', integer: 'bigint[]', real: 'float8[]' }

function readCell(kind: Column['kind'], text: string | null): Cell {
  if (text === null || kind === 'text') return text
  const value = Number(text)
  if (kind === 'integer' && !Number.isSafeInteger(value))
    throw new ArchiveError('The source contains a number that is too large to copy.')
  return value
}

/** Returns the number of rows that would bring the next batch to about the target size, based on the previous batch. */
function getNextLimit(rows: readonly (readonly (string | null)[])[]): number {
  let characters = 1
  for (const row of rows) for (const text of row) characters += text?.length ?? 0
  return Math.max(1, Math.min(MAX_ROWS, Math.floor((rows.length * TARGET_PAGE_CHARACTERS) / characters)))
}
