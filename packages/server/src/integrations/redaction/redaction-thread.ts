import { Worker } from 'node:worker_threads'
import { compileCacheEnvironment } from '../../kernel/work/threads.ts'
import type { PoolWorker } from '../worker-pool.ts'
import type { ThreadAnswer } from './redaction-protocol.ts'

const GONE: ThreadAnswer = { error: 'thread ended' }
const HEAP_MEGABYTES = 512

/** The main thread's end of a thread that redacts conversations. It does not keep the process alive. */
export class RedactionThread implements PoolWorker {
  readonly #worker: Worker
  #answer: ((answer: ThreadAnswer) => void) | null = null
  #isAlive = true
  readonly exited: Promise<void>

  constructor() {
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./redaction-worker.ts', import.meta.url), {
      name: 'redaction',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    // An error is followed by the exit.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isAlive = false
        this.#settle(GONE)
        resolve()
      })
    })
  }

  /** False once it is being ended. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Redacts one conversation at a time. Never rejects: a thread that ends answers with an error. */
  run(task: string): Promise<ThreadAnswer> {
    if (!this.#isAlive) return Promise.resolve(GONE)
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#worker.postMessage(task)
    })
  }

  async end(): Promise<void> {
    this.#isAlive = false
    await this.#worker.terminate()
    await this.exited
  }

  #settle(answer: ThreadAnswer): void {
    const settle = this.#answer
    this.#answer = null
    settle?.(answer)
  }
}
