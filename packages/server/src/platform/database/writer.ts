import type { DatabaseSync } from 'node:sqlite'
import { describeSqliteError, type SqliteFailure } from './failure-error.ts'
import { StatementCache } from './statement-cache.ts'
import type { StatementMessage, WriterOutcome, WriterRequest } from './writer-protocol.ts'

type Batch = Extract<WriterRequest, readonly ['batch', ...unknown[]]>
/** Requests to a writer with an open file. */
type Request = Exclude<WriterRequest, readonly ['open', ...unknown[]]>
type QueuedRequest = Extract<WriterRequest, readonly ['batch' | 'begin' | 'close', ...unknown[]]>

/** Limits how long the first batch waits for the other batches of its commit. */
const MAX_BATCHES_PER_COMMIT = 256

const NO_PARAMETERS: readonly unknown[] = []

/**
 * The only writer of a database file. Handles requests in order of arrival: consecutive batches share one commit, and a
 * transaction has exclusive access from its begin to its end.
 */
export class Writer {
  readonly #database: DatabaseSync
  readonly #statements: StatementCache
  readonly #respond: (outcomes: readonly WriterOutcome[]) => void
  #queue: QueuedRequest[] = []
  #inTransaction = false

  constructor(database: DatabaseSync, respond: (outcomes: readonly WriterOutcome[]) => void) {
    this.#database = database
    this.#statements = new StatementCache(database)
    this.#respond = respond
  }

  /** Accepts a request. Requests of the open transaction run immediately; the others wait for `work`. */
  receive(request: Request): void {
    const kind = request[0]
    if (kind === 'batch' || kind === 'begin' || kind === 'close') this.#queue.push(request)
    else this.#handleInTransaction(request)
  }

  /** Handles queued requests until the queue is empty or a transaction is open. */
  work(): void {
    let handledCount = 0
    while (handledCount < this.#queue.length && !this.#inTransaction) {
      const nextRequest = this.#queue[handledCount]
      if (nextRequest === undefined) break
      if (nextRequest[0] === 'batch') {
        const group = this.#collectBatches(handledCount)
        handledCount += group.length
        this.#respond(this.#commitGroup(group))
      } else {
        handledCount += 1
        if (nextRequest[0] === 'begin') this.#begin(nextRequest[1])
        else this.#close(nextRequest[1])
      }
    }
    if (handledCount > 0) this.#queue = this.#queue.slice(handledCount)
  }

  #collectBatches(start: number): Batch[] {
    const group: Batch[] = []
    for (let index = start; index < this.#queue.length && group.length < MAX_BATCHES_PER_COMMIT; index += 1) {
      const request = this.#queue[index]
      if (request?.[0] !== 'batch') break
      group.push(request)
    }
    return group
  }

  /** Runs all batches of the group in one transaction. A failing batch rolls back to its savepoint and fails alone. */
  #commitGroup(group: readonly Batch[]): WriterOutcome[] {
    const outcomes: WriterOutcome[] = []
    try {
      const [singleBatch, ...otherBatches] = group
      if (singleBatch !== undefined && otherBatches.length === 0) return [this.#commitSingle(singleBatch)]
      this.#run('begin immediate')
      for (const [, id, statements] of group) {
        const failure = this.#runBatch(statements)
        // A full disk or a broken file rolls back the whole transaction.
        if (!this.#database.isTransaction) return failAllBatches(group, failure ?? LOST_TRANSACTION)
        outcomes.push([id, null, failure])
      }
      this.#run('commit')
      return outcomes
    } catch (error) {
      const failure = describeSqliteError(error)
      this.#rollback()
      return failAllBatches(group, failure)
    }
  }

  /** A single batch needs no savepoint, because its whole transaction rolls back. */
  #commitSingle([, id, statements]: Batch): WriterOutcome {
    this.#run('begin immediate')
    const failure = this.#runStatements(statements)
    if (failure === null) this.#run('commit')
    else this.#rollback()
    return [id, null, failure]
  }

  #runBatch(statements: readonly StatementMessage[]): SqliteFailure | null {
    this.#run('savepoint batch')
    const failure = this.#runStatements(statements)
    if (!this.#database.isTransaction) return failure
    if (failure !== null) this.#run('rollback to batch')
    this.#run('release batch')
    return failure
  }

  #runStatements(statements: readonly StatementMessage[]): SqliteFailure | null {
    let index = 0
    try {
      for (const [sql, parameters, expectRows] of statements) {
        const [, changes] = this.#statements.run(sql, parameters)
        if (expectRows >= 0 && changes !== expectRows) return { type: 'conflict', statement: index }
        index += 1
      }
      return null
    } catch (error) {
      return describeSqliteError(error, index)
    }
  }

  #begin(id: number): void {
    this.#runAndRespond(id, () => {
      this.#run('begin immediate')
      this.#inTransaction = true
    })
  }

  #handleInTransaction(request: Exclude<Request, QueuedRequest>): void {
    const [kind, id] = request
    if (!this.#inTransaction) {
      this.#respond([[id, null, LOST_TRANSACTION]])
      return
    }
    if (kind === 'statement') {
      try {
        this.#respond([[id, this.#statements.run(request[2], request[3]), null]])
      } catch (error) {
        this.#respond([[id, null, describeSqliteError(error)]])
      }
      return
    }
    this.#inTransaction = false
    this.#runAndRespond(id, () => {
      if (kind === 'rollback') return this.#rollback()
      try {
        this.#run('commit')
      } catch (error) {
        this.#rollback()
        throw error
      }
    })
  }

  #close(id: number): void {
    this.#runAndRespond(id, () => this.#database.close())
  }

  #runAndRespond(id: number, action: () => void): void {
    try {
      action()
      this.#respond([[id, null, null]])
    } catch (error) {
      this.#respond([[id, null, describeSqliteError(error)]])
    }
  }

  #run(sql: string): void {
    this.#statements.run(sql, NO_PARAMETERS)
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#run('rollback')
  }
}

const LOST_TRANSACTION: SqliteFailure = { type: 'unavailable', message: 'The database rolled back the transaction.' }

function failAllBatches(group: readonly Batch[], failure: SqliteFailure): WriterOutcome[] {
  return group.map(([, id]) => [id, null, failure])
}
