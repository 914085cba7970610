import { Worker } from 'node:worker_threads'
import type { ModelEvent } from '@parley/engine/ports'
import { compileCacheEnvironment } from '../../../kernel/work/threads.ts'
import type { OfflineMessage, OfflineRequest } from './offline-protocol.ts'

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 }

export type OfflineReply = readonly ModelEvent[] | 'failed' | 'lost'

/** A thread of the offline model, as its pool knows it. */
export type DecidingThread = Pick<OfflineThread, 'ready' | 'exited' | 'ask' | 'end'>

/** The main thread's end of a thread of the offline model. It does not keep the process alive. */
export class OfflineThread {
  readonly #worker: Worker
  #settle: (reply: OfflineReply) => void = () => {}
  #isEnding = false
  #hasExited = false
  /** Whether it can answer; false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  constructor() {
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./offline-worker.ts', import.meta.url), {
      name: 'offline-model',
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    // An error is followed by the exit.
    this.#worker.on('error', () => {})
    const ready = Promise.withResolvers<boolean>()
    this.ready = ready.promise
    this.#worker.on('message', (message: OfflineMessage) => {
      if (message.kind === 'ready') ready.resolve(true)
      // An answer may have been on its way when the end came.
      else this.#settle(this.#isEnding ? 'lost' : message.kind === 'answer' ? message.events : 'failed')
    })
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        ready.resolve(false)
        this.#settle('lost')
        resolve()
      })
    })
  }

  /** Asks the model, one request at a time. Never rejects: a thread that ends answers `lost`. */
  ask(request: OfflineRequest): Promise<OfflineReply> {
    if (this.#hasExited) return Promise.resolve('lost')
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#worker.postMessage(request)
    })
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }
}
