import { Worker } from 'node:worker_threads'
import { compileCacheEnvironment } from '../../kernel/work/threads.ts'
import { SANDBOX_FAILED } from './sandbox-failures.ts'
import type { SandboxRequest, ThreadAnswer, ThreadData, ThreadRequest } from './sandbox-protocol.ts'

/** Of the thread itself. What the code uses lies outside this heap and is limited inside. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

const GONE: ThreadAnswer = { outcome: SANDBOX_FAILED, isSpent: true }

/** The main thread's end of a thread that interprets code. It does not keep the process alive. */
export class SandboxThread {
  readonly #worker: Worker
  readonly #stoppedRunNumber = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #runNumber = 0
  #answer: ((answer: ThreadAnswer) => void) | null = null
  #isEnding = false
  #hasExited = false
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  constructor() {
    const threadData: ThreadData = { stoppedRunNumber: this.#stoppedRunNumber.buffer }
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./sandbox-worker.ts', import.meta.url), {
      workerData: threadData,
      name: 'code-sandbox',
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    // An error is followed by the exit.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#settle(GONE)
        resolve()
      })
    })
  }

  /** Runs code, one piece at a time. Never rejects: a thread that ends meanwhile answers as spent. */
  run(request: SandboxRequest): Promise<ThreadAnswer> {
    if (this.#hasExited) return Promise.resolve(GONE)
    this.#runNumber += 1
    const message: ThreadRequest = { ...request, runNumber: this.#runNumber }
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#worker.postMessage(message)
    })
  }

  /** Asks the code that runs now to stop. It answers soon, unless it is in the middle of a step that nothing interrupts. */
  stop(): void {
    Atomics.store(this.#stoppedRunNumber, 0, this.#runNumber)
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }

  #settle(answer: ThreadAnswer): void {
    const settle = this.#answer
    this.#answer = null
    // An answer may have been on its way when the end came.
    settle?.(this.#isEnding ? { ...answer, isSpent: true } : answer)
  }
}
