import type { DatabaseSync } from 'node:sqlite'
import { describeSqliteError, type SqliteFailure } from './failure-error.ts'
import { StatementCache } from './statement-cache.ts'
import type { StatementMessage, WriterOutcome, WriterRequest } from './writer-protocol.ts'

type Batch = Extract<WriterRequest, readonly ['batch', ...unknown[]]>
/** Requests to a writer with an open file. */
type Request = Exclude<WriterRequest, readonly ['open', ...unknown[]]>
type WaitingBatch = Extract<WriterRequest, readonly ['batch' | 'begin' | 'close', ...unknown[]]>

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
  readonly #answer: (outcomes: readonly WriterOutcome[]) => void
  #waiting: WaitingBatch[] = []
  #inTransaction = false

  constructor(database: DatabaseSync, answer: (outcomes: readonly WriterOutcome[]) => void) {
    this.#database = database
    this.#statements = new StatementCache(database)
    this.#answer = answer
  }

  /** Accepts a request. Requests of the open transaction run immediately; the others wait for `work`. */
  receive(request: Request): void {
    const kind = request[0]
    if (kind === 'batch' || kind === 'begin' || kind === 'close') this.#waiting.push(request)
    else this.#serveTransaction(request)
  }

  /** Handles waiting requests until none is left or a transaction is open. */
  work(): void {
    let handled = 0
    while (handled < this.#waiting.length && !this.#inTransaction) {
      const next = this.#waiting[handled]
      if (next === undefined) break
      if (next[0] === 'batch') {
        const group = this.#batchesFrom(handled)
        handled += group.length
        this.#answer(this.#commitGroup(group))
      } else {
        handled += 1
        if (next[0] === 'begin') this.#begin(next[1])
        else this.#close(next[1])
      }
    }
    if (handled > 0) this.#waiting = this.#waiting.slice(handled)
  }

  #batchesFrom(start: number): Batch[] {
    const group: Batch[] = []
    for (let index = start; index < this.#waiting.length && group.length < MAX_BATCHES_PER_COMMIT; index += 1) {
      const request = this.#waiting[index]
      if (request?.[0] !== 'batch') break
      group.push(request)
    }
    return group
  }

  /** Runs all batches of the group in one transaction. A failing batch rolls back to its savepoint and fails alone. */
  #commitGroup(group: readonly Batch[]): WriterOutcome[] {
    const outcomes: WriterOutcome[] = []
    try {
      const [only, ...others] = group
      if (only !== undefined && others.length === 0) return [this.#commitSingle(only)]
      this.#run('begin immediate')
      for (const [, id, statements] of group) {
        const failure = this.#runBatch(statements)
        // A full disk or a broken file rolls back the whole transaction.
        if (!this.#database.isTransaction) return failAllBatches(group, failure ?? lostTransaction)
        outcomes.push([id, null, failure])
      }
      this.#run('commit')
      return outcomes
    } catch (error) {
      const failure = describeSqliteError(error)
      this.#undo()
      return failAllBatches(group, failure)
    }
  }

  /** A single batch needs no savepoint, because its whole transaction rolls back. */
  #commitSingle([, id, statements]: Batch): WriterOutcome {
    this.#run('begin immediate')
    const failure = this.#runStatements(statements)
    if (failure === null) this.#run('commit')
    else this.#undo()
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
    this.#settle(id, () => {
      this.#run('begin immediate')
      this.#inTransaction = true
    })
  }

  #serveTransaction(request: Exclude<Request, WaitingBatch>): void {
    const [kind, id] = request
    if (!this.#inTransaction) {
      this.#answer([[id, null, lostTransaction]])
      return
    }
    if (kind === 'statement') {
      try {
        this.#answer([[id, this.#statements.run(request[2], request[3]), null]])
      } catch (error) {
        this.#answer([[id, null, describeSqliteError(error)]])
      }
      return
    }
    this.#inTransaction = false
    this.#settle(id, () => {
      if (kind === 'rollback') return this.#undo()
      try {
        this.#run('commit')
      } catch (error) {
        this.#undo()
        throw error
      }
    })
  }

  #close(id: number): void {
    this.#settle(id, () => this.#database.close())
  }

  #settle(id: number, action: () => void): void {
    try {
      action()
      this.#answer([[id, null, null]])
    } catch (error) {
      this.#answer([[id, null, describeSqliteError(error)]])
    }
  }

  #run(sql: string): void {
    this.#statements.run(sql, NO_PARAMETERS)
  }

  #undo(): void {
    if (this.#database.isTransaction) this.#run('rollback')
  }
}

const lostTransaction: SqliteFailure = { type: 'unavailable', message: 'The database rolled the transaction back.' }

function failAllBatches(group: readonly Batch[], failure: SqliteFailure): WriterOutcome[] {
  return group.map(([, id]) => [id, null, failure])
}
