import type { Clock } from '@parley/engine/ports'
import type { PoolWorker } from '../../worker-pool.ts'
import { RequestThread } from '../../worker-thread.ts'
import type { SmartTurnRequest, SmartTurnResponse, TurnAudio } from './smart-turn-protocol.ts'

/** Time limit for loading the model. */
const LOAD_MS = 60_000

/** Heap limit. The memory of the model is outside the heap. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 }

/** A thread that handles one request at a time. */
export type ModelThread = Pick<
  RequestThread<SmartTurnRequest, SmartTurnResponse>,
  'isAlive' | 'exited' | 'send' | 'terminate'
>

/** Starts a thread for a model file. */
export function startModelThread(path: string): ModelThread {
  const file = new URL('./smart-turn-worker.ts', import.meta.url)
  return new RequestThread({ file, name: 'smart-turn', resourceLimits: RESOURCE_LIMITS, workerData: path })
}

interface SmartTurnThreadOptions {
  readonly clock: Clock
  readonly thread: ModelThread
  /** Called if the model could not be loaded. */
  readonly onLoadFailed: (reason: string) => void
  /** Called if the thread has ended or the model has failed in a request. */
  readonly onFailed: (reason: string) => void
}

const ENDED = 'The thread ended or did not respond.'

/** A thread that loads the model when it starts. */
export class SmartTurnThread implements PoolWorker {
  readonly #options: SmartTurnThreadOptions
  #isLoading = true
  /** Resolves when the model is loaded or the thread cannot be used. */
  readonly ready: Promise<void>

  constructor(options: SmartTurnThreadOptions) {
    this.#options = options
    this.ready = this.#load()
  }

  get isLoading(): boolean {
    return this.#isLoading
  }

  get isAlive(): boolean {
    return this.#options.thread.isAlive
  }

  get exited(): Promise<void> {
    return this.#options.thread.exited
  }

  /** Returns the probability, or null if the thread cannot be used. Never rejects. */
  async estimate(audio: TurnAudio): Promise<number | null> {
    const { thread, onFailed } = this.#options
    if (!thread.isAlive) return null
    const response = await thread.send(audio)
    if (response !== null && 'probability' in response) return response.probability
    onFailed(response?.failure ?? ENDED)
    return null
  }

  terminate(): Promise<void> {
    return this.#options.thread.terminate()
  }

  async #load(): Promise<void> {
    const { clock, thread, onLoadFailed } = this.#options
    const cancelLimit = clock.after(LOAD_MS, () => void thread.terminate())
    const response = await thread.send('load')
    cancelLimit()
    this.#isLoading = false
    if (response === null || 'failure' in response) onLoadFailed(response?.failure ?? ENDED)
  }
}
