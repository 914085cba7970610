import type { Clock } from '@parley/engine/ports'
import { Kysely } from 'kysely'
import pg from 'pg'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'
import { detectPostgresCapabilities } from './capabilities.ts'
import { createUnavailableError } from './failure-error.ts'
import { type Migration, migrate, POSTGRES_MIGRATIONS } from './migrator.ts'
import { buildConnectionSettings, PostgresConnections } from './postgres-connections.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { toPostgresError, UNEXPECTED_ROWS } from './postgres-failure.ts'
import { toQueryResult } from './postgres-unit.ts'
import { createSingleConnectionDriver } from './single-connection-driver.ts'

const TRANSACTION_TIMEOUT_MS = 15_000
const CONNECTIONS = 20
/** Maximum time that a node waits for another node to migrate. */
const MIGRATION_TIMEOUT_MS = 600_000
/** Arbitrary lock number, the same on every node. */
const MIGRATION_LOCK = 7_295_391_042
const OLDEST_VERSION = 150_000

export interface OpenPostgresOptions {
  /** `postgres://user:password@host:port/database`, with driver options after a question mark. */
  readonly url: string
  readonly clock: Clock
  /** Returns a number from 0 to below 1, which spreads the retries of conflicting transactions. */
  readonly random?: () => number
  /** Maximum number of connections of this node, plus one during migrations. */
  readonly connections?: number
  readonly transactionTimeoutMs?: number
  readonly migrations?: readonly Migration[]
}

/** Connects, migrates (one node at a time, while the others wait) and detects the server's capabilities. */
export async function openPostgresDatabase(options: OpenPostgresOptions): Promise<PostgresDatabase> {
  const { url, clock, random = () => 0.5, migrations = POSTGRES_MIGRATIONS } = options
  await migrateUnderLock(url, clock, migrations)
  const connections = new PostgresConnections(url, options.connections ?? CONNECTIONS)
  try {
    const capabilities = await detectPostgresCapabilities(connections)
    const transactionTimeoutMs = options.transactionTimeoutMs ?? TRANSACTION_TIMEOUT_MS
    return new PostgresDatabase({ connections, capabilities, clock, random, transactionTimeoutMs })
  } catch (error) {
    await connections.close()
    throw toPostgresError(error)
  }
}

/** Migrates on a connection without a statement timeout, because migrating a large table can take long. */
async function migrateUnderLock(url: string, clock: Clock, migrations: readonly Migration[]): Promise<void> {
  const client = new pg.Client({ ...buildConnectionSettings(url), lock_timeout: MIGRATION_TIMEOUT_MS })
  // The next statement reports a broken connection.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(EXPECT_FUNCTION)
    await migrate({ transaction: (work) => work(getOpenTransaction(client)) }, clock, migrations)
    await client.query('commit')
  } catch (error) {
    throw toPostgresError(error)
  } finally {
    // Closing the connection rolls back an open transaction.
    await client.end()
  }
}

/** Raises an error if a statement changed an unexpected number of rows; see `addRowCheck`. */
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
  if (version < OLDEST_VERSION)
    throw createUnavailableError('The PostgreSQL server is too old: upgrade it to version 15 or newer.')
  if (encoding !== 'UTF8')
    throw createUnavailableError(
      `The database encoding is ${encoding}, but UTF8 is required. Recreate the database with encoding UTF8.`,
    )
}

/** Returns the connection's open transaction for migrations. */
function getOpenTransaction(client: pg.Client): Transaction {
  const connection = {
    async executeQuery<Row>({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, rowCount } = await client.query(text, parameters as unknown[])
      return toQueryResult<Row>({ rows, changes: rowCount })
    },
    // biome-ignore lint/correctness/useYield: migrations do not stream
    async *streamQuery(): AsyncGenerator<never> {
      throw new Error('Migrations do not stream.')
    },
  }
  const driver = createSingleConnectionDriver(connection, 'A migration runs in one transaction.')
  return new Kysely<Tables>({ dialect: createPostgresDialect(driver) }) as unknown as Transaction
}
