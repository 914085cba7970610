import type { Duplex } from 'node:stream'
import type { Connection, Submittable } from 'pg'
import pg from 'pg'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import { isStatementRejection } from './postgres-failure.ts'

/** Time limits of running statements and of waiting for locks. */
const STATEMENT_TIMEOUT_MS = 15_000
const LOCK_TIMEOUT_MS = 10_000
/** A server that does not even report a timeout counts as lost. */
const RESPONSE_TIMEOUT_MS = 20_000
/** Time limit of an idle transaction, whose node has probably crashed. Its locks, such as on leases, must be released soon. */
const IDLE_TRANSACTION_TIMEOUT_MS = 5_000
/** Time limit for obtaining a free or new connection. */
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_CONNECTION_MS = 60_000
/** Maximum number of prepared texts, because each takes server memory in every connection. */
const MAX_PREPARED_STATEMENTS = 400
/** Only repeated texts are prepared, because statements with lists of every length would fill the memory. */
const PREPARE_AFTER_USES = 3
const MAX_TRACKED_TEXTS = 5_000

const NON_DURABLE_COMMIT: WireStatement = {
  name: 'parley_relaxed',
  text: "select set_config('synchronous_commit', 'off', true)",
  values: [],
}

/** Parsers that return numbers as numbers and booleans as 0 or 1, as SQLite does. */
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

export interface ExecutionResult {
  readonly rows: Row[]
  /** Number of changed rows, or null if the statement cannot change rows. */
  readonly changes: number | null
}

/** A pool connection that is held until it is released. */
export type AcquiredConnection = pg.PoolClient

/** Returns the settings of every connection. */
export function buildConnectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'parley',
    keepAlive: true,
    // Compiling a plan takes longer than running nearly all of our statements.
    options: '-c jit=off',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: types as pg.CustomTypesConfig,
  }
}

/** Manages a node's connections: runs single statements and batches, and provides connections for transactions. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #names = new Map<string, string>()
  readonly #useCounts = new Map<string, number>()
  readonly #checkedTexts = new Map<string, string>()

  constructor(url: string, size: number) {
    this.#pool = new pg.Pool({
      ...buildConnectionSettings(url),
      max: size,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      query_timeout: RESPONSE_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    })
    // The pool replaces broken idle connections, and the next query reports a lost server.
    this.#pool.on('error', () => undefined)
    // Queries report a broken connection. Without a listener, a connection that breaks between queries would end the process.
    this.#pool.on('connect', (connection) => connection.on('error', () => undefined))
  }

  /** Runs one statement on any connection. */
  async run(sql: string, parameters: readonly unknown[]): Promise<ExecutionResult> {
    return toExecutionResult(await this.#pool.query(this.#buildQueryConfig(sql, parameters)))
  }

  /** Runs one statement on a held connection. */
  async runOn(
    connection: AcquiredConnection,
    sql: string,
    parameters: readonly unknown[] = [],
  ): Promise<ExecutionResult> {
    return toExecutionResult(await connection.query(this.#buildQueryConfig(sql, parameters)))
  }

  /** Runs all statements or none. Rejects with the server's error and the index of the failed statement. */
  async batch(statements: readonly BatchStatement[], durable: boolean): Promise<void> {
    const wireStatements = statements.map((statement, index) => this.#toWireStatement(statement, index))
    const connection = await this.acquire()
    const query = new BatchQuery(durable ? wireStatements : [NON_DURABLE_COMMIT, ...wireStatements])
    let isBroken = true
    try {
      connection.query(query)
      await query.done
      isBroken = false
    } catch (error) {
      isBroken = !isStatementRejection(error)
      throw new BatchError(error, query.failedAt - (durable ? 0 : 1))
    } finally {
      connection.release(isBroken)
    }
  }

  /** Acquires a connection. Release it with `true` if it must not be reused. */
  acquire(): Promise<AcquiredConnection> {
    return this.#pool.connect()
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  #buildQueryConfig(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    const name = this.#getStatementName(text)
    const values = parameters as unknown[]
    return name === undefined ? { text, values } : { name, text, values }
  }

  #toWireStatement({ query, expectRows }: BatchStatement, index: number): WireStatement {
    const { sql, parameters } = query
    if (expectRows === undefined) return { name: this.#getStatementName(sql) ?? '', text: sql, values: parameters }
    const text = this.#getCheckedText(sql, parameters.length)
    return { name: this.#getStatementName(text) ?? '', text, values: [...parameters, expectRows, index] }
  }

  /** Caches the text, because a new string would be hashed again to find its name. */
  #getCheckedText(sql: string, parameterCount: number): string {
    const cachedText = this.#checkedTexts.get(sql)
    if (cachedText !== undefined) return cachedText
    if (this.#checkedTexts.size >= MAX_TRACKED_TEXTS) this.#checkedTexts.clear()
    const text = addRowCheck(sql, parameterCount)
    this.#checkedTexts.set(sql, text)
    return text
  }

  /** Returns the name under which connections prepare a repeated text. */
  #getStatementName(text: string): string | undefined {
    // The best plan depends on the pattern, but a prepared text soon receives one generic plan.
    if (text.includes(' like ')) return undefined
    const knownName = this.#names.get(text)
    if (knownName !== undefined || this.#names.size >= MAX_PREPARED_STATEMENTS) return knownName
    const useCount = (this.#useCounts.get(text) ?? 0) + 1
    if (useCount < PREPARE_AFTER_USES) {
      if (this.#useCounts.size >= MAX_TRACKED_TEXTS) this.#useCounts.clear()
      this.#useCounts.set(text, useCount)
      return undefined
    }
    const name = `parley_${this.#names.size}`
    this.#useCounts.delete(text)
    this.#names.set(text, name)
    return name
  }
}

/** Reports why a batch was not written, and which statement failed. */
export class BatchError extends Error {
  readonly statement: number

  constructor(cause: unknown, statement: number) {
    super('The batch was rejected.', { cause })
    this.statement = statement
  }
}

function toExecutionResult({ rows, command, rowCount }: pg.QueryResult): ExecutionResult {
  const changes = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command) ? (rowCount ?? 0) : null
  return { rows: rows as Row[], changes }
}

/** The part of a connection that a batch uses: messages of the extended protocol. */
interface WireConnection {
  readonly stream: Pick<Duplex, 'cork' | 'uncork'>
  /** Prepared texts of this connection, by name. */
  readonly parsedStatements: Record<string, string>
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  execute(message: Record<string, never>): void
  sync(): void
}

/** A statement in wire format. */
interface WireStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Runs several statements in one round trip and one transaction: messages before a `Sync` commit together or not at all
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
 */
class BatchQuery implements Submittable {
  readonly #statements: readonly WireStatement[]
  readonly #done = Promise.withResolvers<void>()
  #finishedCount = 0
  #isRejected = false
  /** Set by the driver for its timeout. */
  callback: ((error: unknown) => void) | null = null

  constructor(statements: readonly WireStatement[]) {
    this.#statements = statements
    this.#done.promise.catch(() => undefined)
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  /** Index of the rejected statement, valid once `done` has rejected. */
  get failedAt(): number {
    return this.#finishedCount
  }

  submit(connection: Connection): void {
    // The declared type omits the methods for custom queries.
    const wireConnection = connection as unknown as WireConnection
    wireConnection.stream.cork()
    // Parses named texts first, so that the server knows all of them, regardless of which statement fails.
    for (const { name, text } of this.#statements) {
      if (name === '' || wireConnection.parsedStatements[name] !== undefined) continue
      wireConnection.parse({ name, text })
      wireConnection.parsedStatements[name] = text
    }
    for (const { name, text, values } of this.#statements) {
      if (name === '') wireConnection.parse({ name, text })
      wireConnection.bind({ statement: name, values, valueMapper: toWireValue })
      wireConnection.execute({})
    }
    wireConnection.sync()
    wireConnection.stream.uncork()
  }

  handleCommandComplete(): void {
    this.#finishedCount += 1
  }

  handleError(error: unknown): void {
    if (this.#isRejected) return
    this.#isRejected = true
    // Rejects before the connection is ready again. The next query waits for the connection.
    this.#done.reject(error)
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    this.#done.resolve()
    this.callback?.(null)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/**
 * Wraps a statement so that it fails unless it changes the expected number of rows. This number and the index in the batch are
 * parameters, so that the text does not depend on them.
 */
function addRowCheck(text: string, parameterCount: number): string {
  const checkParameters = `$${parameterCount + 1}, $${parameterCount + 2}`
  return `with changed as (${text} returning 1) select parley_expect(count(*), ${checkParameters}) from changed`
}

function toWireValue(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null
  return value instanceof Uint8Array ? value : String(value)
}
