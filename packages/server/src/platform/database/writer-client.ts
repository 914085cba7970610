import { Worker } from 'node:worker_threads'
import type { AppError } from '../../kernel/errors.ts'
import { compileCacheEnvironment } from '../../kernel/work/threads.ts'
import { errorOfFailure, unavailable } from './failure-error.ts'
import type { StatementResult } from './statement-cache.ts'
import { OPENED_ID, type StatementMessage, type WriterOutcome, type WriterRequest } from './writer-protocol.ts'

interface Pending {
  resolve(result: StatementResult | null): void
  reject(error: Error): void
}

/** More writes than this waiting means that the disk cannot keep up: better to refuse than to fill the memory. */
const MOST_PENDING = 20_000

/** The main thread's end of the writer. When the worker dies, everything pending and everything later is refused. */
export class WriterClient {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #exited: Promise<void>
  #nextId = OPENED_ID + 1
  #failure: AppError | null = null

  private constructor(file: string, opened: Pending) {
    // No inherited flags and no environment beyond the cache: the worker needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./writer-worker.ts', import.meta.url), {
      workerData: { file },
      name: 'database-writer',
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#pending.set(OPENED_ID, opened)
    this.#worker.on('message', (outcomes: readonly WriterOutcome[]) => this.#settle(outcomes))
    this.#worker.on('messageerror', () => this.#fail('The database writer sent an unreadable answer.'))
    this.#worker.on('error', (error) => this.#fail(`The database writer stopped: ${error.message}`))
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail('The database is closed.')
        resolve()
      })
    })
  }

  /** Starts the worker and waits until it has opened the file. */
  static async start(file: string): Promise<WriterClient> {
    const opened = Promise.withResolvers<unknown>()
    const client = new WriterClient(file, opened)
    await opened.promise
    return client
  }

  /** Why nothing can be written any more; null while the writer works. */
  get failure(): AppError | null {
    return this.#failure
  }

  batch(statements: readonly StatementMessage[]): Promise<unknown> {
    return this.#send(['batch', this.#nextId, statements])
  }

  begin(): Promise<unknown> {
    return this.#send(['begin', this.#nextId])
  }

  async statement(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const result = await this.#send(['statement', this.#nextId, sql, parameters])
    if (result === null) throw new Error('The writer answered a statement without a result.')
    return result
  }

  commit(): Promise<unknown> {
    return this.#send(['commit', this.#nextId])
  }

  rollback(): Promise<unknown> {
    return this.#send(['rollback', this.#nextId])
  }

  /** Lets what was sent finish, closes the file and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure === null) await this.#send(['close', this.#nextId])
    await this.#exited
  }

  /** Ends the thread without finishing anything, as a crash would. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(request: WriterRequest): Promise<StatementResult | null> {
    const failure =
      this.#failure ?? (this.#pending.size < MOST_PENDING ? null : unavailable('Too many writes are waiting.'))
    if (failure !== null) return Promise.reject(failure)
    const id = request[1]
    this.#nextId = id + 1
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      try {
        this.#worker.postMessage(request)
      } catch (error) {
        // A parameter that cannot be copied between threads.
        this.#pending.delete(id)
        reject(error)
      }
    })
  }

  #settle(outcomes: readonly WriterOutcome[]): void {
    for (const [id, result, failure] of outcomes) {
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (failure === null) pending?.resolve(result)
      else pending?.reject(errorOfFailure(failure))
    }
  }

  #fail(message: string): void {
    this.#failure ??= unavailable(message)
    const failure = this.#failure
    for (const pending of this.#pending.values()) pending.reject(failure)
    this.#pending.clear()
  }
}
