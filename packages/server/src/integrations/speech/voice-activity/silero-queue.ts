import type { Clock } from '@parley/engine/ports'
import { RequestThread } from '../../worker-thread.ts'
import { encodeBatch, type SileroBatch, type SileroResponse, type SileroWindow } from './silero-protocol.ts'

/** Time to collect windows of several callers for a batch. A batch costs less than its windows alone. */
const COLLECTION_MS = 8
/** Maximum number of windows in a batch, so that a batch takes a few ten milliseconds. */
const MAX_BATCH_WINDOWS = 64
/** Maximum time that a window waits for its probability. */
const DEADLINE_MS = 200
/** Time after which a thread that does not respond counts as stalled, and time limit for loading the model. */
const STALL_MS = 5_000
const LOAD_MS = 60_000
/** Delay before a failed thread is replaced. */
const RESTART_MS = 1_000

/** A window to classify. `onResult` is called at most once, later. */
export interface QueuedWindow extends SileroWindow {
  /** Receives the probability, or null after the deadline or a failure. Null for windows whose result is not needed. */
  readonly onResult: ((probability: number | null) => void) | null
}

/** A thread that handles one batch at a time. */
export type SileroThread = Pick<RequestThread<SileroBatch, SileroResponse>, 'send' | 'terminate'>

export interface SileroQueueOptions {
  readonly clock: Clock
  /** Logs the first failure since the last success. */
  readonly logError: (error: unknown) => void
  /** Starts a thread. Throws if no thread can start. */
  readonly startThread?: () => SileroThread
}

/** Heap limit. The memory of the model is outside the heap. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 }

function startSileroThread(): SileroThread {
  const file = new URL('./silero-worker.ts', import.meta.url)
  return new RequestThread({ file, name: 'voice-activity', resourceLimits: RESOURCE_LIMITS })
}

interface PendingWindow extends QueuedWindow {
  readonly dueMs: number
  isSettled: boolean
}

/** Classifies the windows of all callers in batches on one thread. Replaces a thread that fails or stalls. */
export class SileroQueue {
  readonly #options: SileroQueueOptions
  readonly #waiting: PendingWindow[] = []
  #running: readonly PendingWindow[] = []
  #closedCallerIds: number[] = []
  #thread: SileroThread | null = null
  #loading: Promise<void> = Promise.resolve()
  #isReady = false
  /** Whether the running batch exceeds the deadline. Windows that wait for it would be late, too. */
  #isLate = false
  #isBusy = false
  #isFailureLogged = false
  #cancelFlush: (() => void) | null = null
  #cancelDeadline: (() => void) | null = null
  #cancelRestart: (() => void) | null = null
  readonly #idleListeners: (() => void)[] = []
  /** Changes when the states of all callers are lost. */
  generation = 0

  constructor(options: SileroQueueOptions) {
    this.#options = options
  }

  /** Whether windows can be classified. If not, the model is loading, late or being replaced. */
  get isReady(): boolean {
    return this.#isReady && !this.#isLate
  }

  /** Starts the thread, unless it runs. Resolves when the model is loaded or has failed. */
  async start(): Promise<void> {
    if (this.#thread !== null) return await this.#loading
    this.#cancelRestart?.()
    this.#cancelRestart = null
    let thread: SileroThread
    try {
      thread = (this.#options.startThread ?? startSileroThread)()
    } catch (error) {
      this.#handleFailure(error)
      return
    }
    this.#thread = thread
    // The first batch is empty. Its response means that the model is loaded.
    this.#loading = this.#send(thread, [], LOAD_MS)
    await this.#loading
  }

  /** Queues a window. Call this only if the queue is ready. */
  push(window: QueuedWindow): void {
    this.#waiting.push({ ...window, dueMs: this.#options.clock.now() + DEADLINE_MS, isSettled: false })
    this.#cancelDeadline ??= this.#options.clock.after(DEADLINE_MS, () => this.#settleOverdue())
    if (!this.#isBusy) this.#cancelFlush ??= this.#options.clock.after(COLLECTION_MS, () => this.#flush())
  }

  /** Releases the state of a caller and drops the caller's windows. */
  forget(callerId: number): void {
    if (this.#thread === null) return
    for (const window of [...this.#running, ...this.#waiting]) {
      if (window.callerId === callerId) window.isSettled = true
    }
    this.#closedCallerIds.push(callerId)
  }

  /** Resolves when no window waits for its result. */
  whenIdle(): Promise<void> {
    if (!this.#isBusy && this.#waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve)
    })
  }

  /** Ends the thread to free its memory. Pending windows get no probability. */
  async stop(): Promise<void> {
    const thread = this.#thread
    this.#reset()
    this.#cancelRestart?.()
    this.#cancelRestart = null
    await thread?.terminate()
  }

  #flush(): void {
    this.#cancelFlush = null
    const thread = this.#thread
    if (this.#isBusy || thread === null) return
    const windows = this.#waiting.splice(0, MAX_BATCH_WINDOWS).filter(({ isSettled }) => !isSettled)
    if (windows.length > 0) void this.#send(thread, windows, STALL_MS)
    else this.#notifyIfIdle()
  }

  /** Sends a batch and handles its response. Never rejects. */
  async #send(thread: SileroThread, windows: readonly PendingWindow[], timeoutMs: number): Promise<void> {
    this.#isBusy = true
    this.#running = windows
    const batch = encodeBatch(windows, this.#closedCallerIds)
    this.#closedCallerIds = []
    const { promise: timeout, resolve: expire } = Promise.withResolvers<null>()
    const cancelTimeout = this.#options.clock.after(timeoutMs, () => expire(null))
    const response = await Promise.race([thread.send(batch), timeout])
    cancelTimeout()
    if (this.#thread !== thread) return
    if (response === null) this.#handleFailure(new Error('The speech detection thread ended or stalled.'))
    else if ('failure' in response) this.#handleFailure(new Error(`Speech detection failed: ${response.failure}`))
    else this.#handleProbabilities(windows, response.probabilities)
  }

  #handleProbabilities(windows: readonly PendingWindow[], probabilities: Float32Array): void {
    this.#isReady = true
    this.#isLate = false
    this.#isBusy = false
    this.#running = []
    if (windows.length > 0) this.#isFailureLogged = false
    for (const [index, window] of windows.entries()) settle(window, probabilities[index] ?? null)
    // Windows have collected while the batch was running.
    if (this.#waiting.length > 0) this.#flush()
    else this.#notifyIfIdle()
  }

  #handleFailure(error: unknown): void {
    if (!this.#isFailureLogged) this.#options.logError(error)
    this.#isFailureLogged = true
    void this.#thread?.terminate()
    this.#reset()
    this.#cancelRestart ??= this.#options.clock.after(RESTART_MS, () => void this.start())
  }

  /** Forgets the thread with its states and answers all windows. */
  #reset(): void {
    this.#thread = null
    this.#isReady = false
    this.#isLate = false
    this.#isBusy = false
    this.generation += 1
    this.#closedCallerIds = []
    this.#cancelFlush?.()
    this.#cancelFlush = null
    const windows = [...this.#running, ...this.#waiting.splice(0)]
    this.#running = []
    for (const window of windows) settle(window, null)
    this.#notifyIfIdle()
  }

  /** Answers windows that have waited too long, so that no call waits for a slow or stalled thread. */
  #settleOverdue(): void {
    const nowMs = this.#options.clock.now()
    this.#cancelDeadline = null
    this.#isLate = this.#running.some(({ dueMs }) => dueMs <= nowMs)
    let nextDueMs: number | null = null
    for (const window of [...this.#running, ...this.#waiting]) {
      if (window.isSettled) continue
      if (window.dueMs <= nowMs) settle(window, null)
      else nextDueMs ??= window.dueMs
    }
    if (nextDueMs === null) return
    this.#cancelDeadline ??= this.#options.clock.after(nextDueMs - nowMs, () => this.#settleOverdue())
  }

  #notifyIfIdle(): void {
    if (this.#isBusy || this.#waiting.length > 0) return
    this.#cancelDeadline?.()
    this.#cancelDeadline = null
    for (const notify of this.#idleListeners.splice(0)) notify()
  }
}

function settle(window: PendingWindow, probability: number | null): void {
  if (window.isSettled) return
  window.isSettled = true
  window.onResult?.(probability)
}
