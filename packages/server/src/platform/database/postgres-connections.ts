import pg from 'pg'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import { BatchQuery, expecting, type WireStatement } from './batch-query.ts'
import { isRefusal } from './postgres-failure.ts'

/** A statement waits for a lock, and runs, no longer than this. */
const STATEMENT_TIMEOUT_MS = 15_000
const LOCK_TIMEOUT_MS = 10_000
/** A server that does not even say that a statement took too long is gone. */
const ANSWER_TIMEOUT_MS = 20_000
/** A unit of work that falls silent has lost its node; what it has locked must be free soon, a dead node's leases among it. */
const SILENCE_TIMEOUT_MS = 5_000
/** Wait for a free connection of ours, or for the server to accept a new one. */
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_CONNECTION_MS = 60_000
/** Texts that connections keep prepared; each costs the server memory in each of them. */
const MAX_PREPARED_STATEMENTS = 400
/** A text that came this often is prepared: lists of every length would fill the memory. */
const PREPARE_AFTER_USES = 3
const MOST_COUNTED = 5_000

const NON_DURABLE_COMMIT: WireStatement = {
  name: 'parley_relaxed',
  text: "select set_config('synchronous_commit', 'off', true)",
  values: [],
}

/** Numbers come as numbers and truth as 0 or 1, as from SQLite. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0), // bool
  20: Number, // int8: times and counts, far below 2^53
  1700: Number, // numeric: sums of int8
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS[oid] ??
    (pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown)(oid, format),
}

export interface Row {
  readonly [column: string]: unknown
}

export interface Answer {
  readonly rows: Row[]
  /** Changed rows; null for a statement that changes none. */
  readonly changes: number | null
}

/** One connection of the pool, held until released. */
export type HeldConnection = pg.PoolClient

/** The settings of every connection. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'parley',
    keepAlive: true,
    // Compiling a plan takes longer than all but the longest of our statements.
    options: '-c jit=off',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: types as pg.CustomTypesConfig,
  }
}

/** The connections of a node: statements of one commit each, batches, and connections to hold for a transaction. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()
  readonly #expecting = new Map<string, string>()

  constructor(url: string, size: number) {
    this.#pool = new pg.Pool({
      ...connectionSettings(url),
      max: size,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      idle_in_transaction_session_timeout: SILENCE_TIMEOUT_MS,
    })
    // An idle connection that breaks is replaced; who needs one learns of a server that is gone.
    this.#pool.on('error', () => undefined)
    // One that breaks while it is held tells its queries. It may break before its holder has any; without a listener that ends the
    // process.
    this.#pool.on('connect', (connection) => connection.on('error', () => undefined))
  }

  /** Runs one statement on any connection. */
  async run(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    return toAnswer(await this.#pool.query(this.#config(sql, parameters)))
  }

  /** Runs one statement on a connection that is held. */
  async runOn(held: HeldConnection, sql: string, parameters: readonly unknown[] = []): Promise<Answer> {
    return toAnswer(await held.query(this.#config(sql, parameters)))
  }

  /** All statements or none. Rejects with the server's error, which `statement` belongs to. */
  async batch(statements: readonly BatchStatement[], durable: boolean): Promise<void> {
    const own = statements.map((statement, index) => this.#wire(statement, index))
    const held = await this.hold()
    const query = new BatchQuery(durable ? own : [NON_DURABLE_COMMIT, ...own])
    let broken = true
    try {
      held.query(query)
      await query.done
      broken = false
    } catch (error) {
      broken = !isRefusal(error)
      throw new BatchFailure(error, query.failedAt - (durable ? 0 : 1))
    } finally {
      held.release(broken)
    }
  }

  /** A connection of one's own; to be released, with true when it must not be used again. */
  hold(): Promise<HeldConnection> {
    return this.#pool.connect()
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  #config(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    const name = this.#nameOf(text)
    const values = parameters as unknown[]
    return name === undefined ? { text, values } : { name, text, values }
  }

  #wire({ query, expectRows }: BatchStatement, index: number): WireStatement {
    const { sql, parameters } = query
    if (expectRows === undefined) return { name: this.#nameOf(sql) ?? '', text: sql, values: parameters }
    const text = this.#expectingText(sql, parameters.length)
    return { name: this.#nameOf(text) ?? '', text, values: [...parameters, expectRows, index] }
  }

  /** A text that is put together anew each time would have to be hashed anew to find its name. */
  #expectingText(sql: string, parameters: number): string {
    const known = this.#expecting.get(sql)
    if (known !== undefined) return known
    if (this.#expecting.size >= MOST_COUNTED) this.#expecting.clear()
    const text = expecting(sql, parameters)
    this.#expecting.set(sql, text)
    return text
  }

  /** The name under which connections prepare a text that comes again and again. */
  #nameOf(text: string): string | undefined {
    // The plan for a pattern depends on the pattern; a prepared text soon gets one plan for all.
    if (text.includes(' like ')) return undefined
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_PREPARED_STATEMENTS) return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < PREPARE_AFTER_USES) {
      if (this.#uses.size >= MOST_COUNTED) this.#uses.clear()
      this.#uses.set(text, uses)
      return undefined
    }
    const name = `parley_${this.#names.size}`
    this.#uses.delete(text)
    this.#names.set(text, name)
    return name
  }
}

/** Why a batch was not written, and which of its statements was refused. */
export class BatchFailure extends Error {
  readonly statement: number

  constructor(cause: unknown, statement: number) {
    super('the batch was refused', { cause })
    this.statement = statement
  }
}

function toAnswer({ rows, command, rowCount }: pg.QueryResult): Answer {
  const changes = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command) ? (rowCount ?? 0) : null
  return { rows: rows as Row[], changes }
}
