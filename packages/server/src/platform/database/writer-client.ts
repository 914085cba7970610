import { Worker } from 'node:worker_threads'
import type { AppError } from '../../kernel/errors.ts'
import { getCompileCacheEnvironment } from '../../kernel/work/threads.ts'
import { createFailureError, createUnavailableError } from './failure-error.ts'
import type { StatementResult } from './statement-cache.ts'
import type { StatementMessage, WriterOutcome, WriterRequest } from './writer-protocol.ts'

interface PendingRequest {
  resolve(result: StatementResult | null): void
  reject(error: Error): void
}

/** With more pending writes than this, the disk cannot keep up. Further writes are rejected before they fill the memory. */
const MAX_PENDING_REQUESTS = 20_000

/** Source of writer threads. Tests reuse threads, because starting a thread takes longer than most tests. */
export interface WriterThreads {
  acquire(): Worker
  /** Takes a thread back after its file was closed. */
  release(worker: Worker): Promise<unknown>
}

/** Starts a new thread for each database and terminates it when the database is closed. */
const NEW_THREADS: WriterThreads = { acquire: startWriterThread, release: (worker) => worker.terminate() }

export function startWriterThread(): Worker {
  // Workers receive no flags, and only the compile cache from the environment, because the environment contains secrets.
  return new Worker(new URL('./writer-worker.ts', import.meta.url), {
    name: 'database-writer',
    execArgv: [],
    env: getCompileCacheEnvironment(),
  })
}

/** The main thread's side of the writer. If the worker crashes, pending and later requests fail. */
export class WriterClient {
  readonly #threads: WriterThreads
  readonly #worker: Worker
  readonly #pendingRequests = new Map<number, PendingRequest>()
  #nextId = 0
  #failure: AppError | null = null

  private constructor(threads: WriterThreads) {
    this.#threads = threads
    this.#worker = threads.acquire()
    this.#worker.on('message', (outcomes: readonly WriterOutcome[]) => this.#handleOutcomes(outcomes))
    this.#worker.on('messageerror', () => this.#fail('The database writer sent an unreadable response.'))
    this.#worker.on('error', (error) => this.#fail(`The database writer stopped: ${error.message}`))
    this.#worker.once('exit', () => this.#fail('The database is closed.'))
  }

  /** Starts the thread and waits until it has opened the file. */
  static async start(file: string, threads: WriterThreads = NEW_THREADS): Promise<WriterClient> {
    const client = new WriterClient(threads)
    try {
      await client.#send(['open', client.#nextId, file])
    } catch (error) {
      await client.#release()
      throw error
    }
    return client
  }

  /** Reason why the writer stopped, or null while it works. */
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
    if (result === null) throw new Error('The writer returned no result for a statement.')
    return result
  }

  commit(): Promise<unknown> {
    return this.#send(['commit', this.#nextId])
  }

  rollback(): Promise<unknown> {
    return this.#send(['rollback', this.#nextId])
  }

  /** Finishes requests already sent, closes the file and releases the thread. */
  async close(): Promise<void> {
    if (this.#failure !== null) return
    await this.#send(['close', this.#nextId])
    await this.#release()
  }

  /** Ends the thread as a crash would, without finishing pending requests. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  async #release(): Promise<void> {
    for (const event of ['message', 'messageerror', 'error', 'exit']) this.#worker.removeAllListeners(event)
    this.#fail('The database is closed.')
    await this.#threads.release(this.#worker)
  }

  #send(request: WriterRequest): Promise<StatementResult | null> {
    const failure =
      this.#failure ??
      (this.#pendingRequests.size < MAX_PENDING_REQUESTS
        ? null
        : createUnavailableError('Too many writes are pending.'))
    if (failure !== null) return Promise.reject(failure)
    const id = request[1]
    this.#nextId = id + 1
    return new Promise((resolve, reject) => {
      this.#pendingRequests.set(id, { resolve, reject })
      try {
        this.#worker.postMessage(request)
      } catch (error) {
        // A parameter cannot be copied between threads.
        this.#pendingRequests.delete(id)
        reject(error)
      }
    })
  }

  #handleOutcomes(outcomes: readonly WriterOutcome[]): void {
    for (const [id, result, failure] of outcomes) {
      const request = this.#pendingRequests.get(id)
      this.#pendingRequests.delete(id)
      if (failure === null) request?.resolve(result)
      else request?.reject(createFailureError(failure))
    }
  }

  #fail(message: string): void {
    this.#failure ??= createUnavailableError(message)
    const failure = this.#failure
    for (const request of this.#pendingRequests.values()) request.reject(failure)
    this.#pendingRequests.clear()
  }
}
