import { type ResourceLimits, Worker } from 'node:worker_threads'
import { compileCacheEnvironment } from '../kernel/work/threads.ts'

interface ThreadOptions {
  readonly file: URL
  readonly name: string
  readonly resourceLimits: ResourceLimits
  readonly workerData?: unknown
}

/** Starts a thread that does not keep the process alive. */
export function startThread({ file, ...options }: ThreadOptions): Worker {
  // Threads get no inherited flags, and no environment beyond the cache since the environment holds secrets.
  const worker = new Worker(file, { ...options, execArgv: [], env: compileCacheEnvironment() })
  worker.unref()
  return worker
}

/** The main thread's end of a thread that answers one request at a time. */
export class RequestThread<Request, Answer> {
  readonly #worker: Worker
  #settle: (answer: Answer | null) => void = () => {}
  #isAlive = true
  /** Resolves when the thread has exited, whatever the reason. */
  readonly exited: Promise<void>

  constructor(options: ThreadOptions) {
    this.#worker = startThread(options)
    // An answer that arrives while the thread is being ended does not count.
    this.#worker.on('message', (answer: Answer) => this.#settle(this.#isAlive ? answer : null))
    // The exit follows.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isAlive = false
        this.#settle(null)
        resolve()
      })
    })
  }

  /** False once the thread is being ended. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Sends a request and waits for the answer. Never rejects; `null` when the thread ended first. */
  ask(request: Request): Promise<Answer | null> {
    if (!this.#isAlive) return Promise.resolve(null)
    this.#worker.postMessage(request)
    return this.receive()
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    this.#isAlive = false
    await this.#worker.terminate()
    await this.exited
  }

  /** Waits for the next message of the thread. */
  protected receive(): Promise<Answer | null> {
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }
}
