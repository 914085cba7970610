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
  // The environment contains secrets, so the thread receives only the compile cache variables.
  const worker = new Worker(file, { ...options, execArgv: [], env: getCompileCacheEnvironment() })
  worker.unref()
  return worker
}

/** Controls a worker thread that handles one request at a time. */
export class RequestThread<Request, Response> {
  readonly #worker: Worker
  #resolveRequest: (response: Response | null) => void = () => {}
  #isAlive = true
  /** Resolves when the thread has exited, regardless of the reason. */
  readonly exited: Promise<void>

  constructor(options: ThreadOptions) {
    this.#worker = startThread(options)
    // Ignores a response that arrives while the thread is being terminated.
    this.#worker.on('message', (response: Response) => this.#resolveRequest(this.#isAlive ? response : null))
    // Ignored because the exit event follows.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isAlive = false
        this.#resolveRequest(null)
        resolve()
      })
    })
  }

  /** False once the thread is being terminated. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Sends a request and waits for the response. Never rejects. Resolves to null if the thread ended first. */
  send(request: Request): Promise<Response | null> {
    if (!this.#isAlive) return Promise.resolve(null)
    this.#worker.postMessage(request)
    return this.receive()
  }

  /** Terminates the thread, regardless of its current work. */
  async terminate(): Promise<void> {
    this.#isAlive = false
    await this.#worker.terminate()
    await this.exited
  }

  /** Waits for the thread's next message. */
  protected receive(): Promise<Response | null> {
    return new Promise((resolve) => {
      this.#resolveRequest = resolve
    })
  }
}
