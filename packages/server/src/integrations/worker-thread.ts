import { type ResourceLimits, Worker } from 'node:worker_threads'
import { getCompileCacheEnvironment } from '../kernel/work/threads.ts'

interface ThreadOptions {
  readonly file: URL
  readonly name: string
  readonly resourceLimits: ResourceLimits
  readonly workerData?: unknown
}

/** Starts a thread that does not keep the process alive. */
export function startThread({ file, ...options }: ThreadOptions): Worker {
  // Threads inherit no flags. They also receive no environment beyond the cache, because the environment contains secrets.
  const worker = new Worker(file, { ...options, execArgv: [], env: getCompileCacheEnvironment() })
  worker.unref()
  return worker
}

/** The main thread's side of a thread that handles one request at a time. */
export class RequestThread<Request, Answer> {
  readonly #worker: Worker
  #settle: (answer: Answer | null) => void = () => {}
  #isAlive = true
  /** Resolves when the thread has exited, regardless of the reason. */
  readonly exited: Promise<void>

  constructor(options: ThreadOptions) {
    this.#worker = startThread(options)
    // A response that arrives while the thread is being terminated does not count.
    this.#worker.on('message', (answer: Answer) => this.#settle(this.#isAlive ? answer : null))
    // The exit event follows.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isAlive = false
        this.#settle(null)
        resolve()
      })
    })
  }

  /** False once the thread is being terminated. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Sends a request and waits for the response. Never rejects. Resolves to null if the thread ended first. */
  ask(request: Request): Promise<Answer | null> {
    if (!this.#isAlive) return Promise.resolve(null)
    this.#worker.postMessage(request)
    return this.receive()
  }

  /** Terminates the thread, regardless of its current work. */
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
