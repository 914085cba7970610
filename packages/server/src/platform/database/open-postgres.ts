import type { Clock } from '@parley/engine/ports'
import { Kysely } from 'kysely'
import pg from 'pg'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'
import { postgresCapabilities } from './capabilities.ts'
import { unavailable } from './failure-error.ts'
import { type Migration, migrate, POSTGRES_MIGRATIONS } from './migrator.ts'
import { connectionSettings, PostgresConnections } from './postgres-connections.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { errorOfPostgres, UNEXPECTED_ROWS } from './postgres-failure.ts'
import { toQueryResult } from './postgres-unit.ts'
import { createSingleConnectionDriver } from './single-connection-driver.ts'

const TRANSACTION_TIMEOUT_MS = 15_000
const CONNECTIONS = 20
/** A node waits this long for another one that migrates. */
const MIGRATION_TIMEOUT_MS = 600_000
/** Of `pg_advisory_xact_lock`: any number, the same on every node. */
const MIGRATION_LOCK = 7_295_391_042
const OLDEST_VERSION = 150_000

export interface OpenPostgresOptions {
  /** `postgres://user:password@host:port/database`, with the driver's options behind a question mark. */
  readonly url: string
  readonly clock: Clock
  /** From 0 to below 1; spreads the attempts of rivals. */
  readonly random?: () => number
  /** Connections of this node at most, beside one while it migrates. */
  readonly connections?: number
  readonly transactionTimeoutMs?: number
  readonly migrations?: readonly Migration[]
}

/** Connects, brings the tables up to date (one node at a time; the others wait for it), and finds out what the server can do. */
export async function openPostgresDatabase(options: OpenPostgresOptions): Promise<PostgresDatabase> {
  const { url, clock, random = () => 0.5, migrations = POSTGRES_MIGRATIONS } = options
  await migrateUnderLock(url, clock, migrations)
  const connections = new PostgresConnections(url, options.connections ?? CONNECTIONS)
  try {
    const capabilities = await postgresCapabilities(connections)
    const transactionTimeoutMs = options.transactionTimeoutMs ?? TRANSACTION_TIMEOUT_MS
    return new PostgresDatabase({ connections, capabilities, clock, random, transactionTimeoutMs })
  } catch (error) {
    await connections.close()
    throw errorOfPostgres(error)
  }
}

/** On a connection without the time limits of others: a step may take long on a large table. */
async function migrateUnderLock(url: string, clock: Clock, migrations: readonly Migration[]): Promise<void> {
  const client = new pg.Client({ ...connectionSettings(url), lock_timeout: MIGRATION_TIMEOUT_MS })
  // Told again by the statement that finds the connection broken.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(EXPECT_FUNCTION)
    await migrate({ transaction: (work) => work(transactionOn(client)) }, clock, migrations)
    await client.query('commit')
  } catch (error) {
    throw errorOfPostgres(error)
  } finally {
    // A transaction that is open still goes with its connection.
    await client.end()
  }
}

/** Refuses a batch whose statement changed another number of rows than expected; see `expecting`. */
const EXPECT_FUNCTION = `
  create or replace function parley_expect(changed bigint, expected bigint, statement integer) returns void
  language plpgsql as $$
  begin
    if changed <> expected then
      raise exception 'unexpected number of rows' using errcode = '${UNEXPECTED_ROWS}', detail = statement::text;
    end if;
  end $$`

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding",
  )
  const { version, encoding } = rows[0] ?? {}
  if (version < OLDEST_VERSION) throw unavailable('PostgreSQL 15 or newer is needed.')
  if (encoding !== 'UTF8') throw unavailable(`The database must have the encoding UTF8; it has ${encoding}.`)
}

/** The transaction that is open on the connection, as steps of the schema want it. */
function transactionOn(client: pg.Client): Transaction {
  const connection = {
    async executeQuery<Row>({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, rowCount } = await client.query(text, parameters as unknown[])
      return toQueryResult<Row>({ rows, changes: rowCount })
    },
    // biome-ignore lint/correctness/useYield: steps do not stream
    async *streamQuery(): AsyncGenerator<never> {
      throw new Error('Steps of the schema do not stream.')
    },
  }
  const driver = createSingleConnectionDriver(connection, 'A step of the schema runs in one transaction.')
  return new Kysely<Tables>({ dialect: createPostgresDialect(driver) }) as unknown as Transaction
}
