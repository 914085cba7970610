import type { Clock } from '@parley/engine/ports'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import type { RecognizerProcess } from './moonshine-process.ts'
import type { Recognition, RecognitionRequest } from './moonshine-protocol.ts'

/** From most to least urgent: ended utterances, utterances that may have ended, and utterances that continue. */
const URGENCIES = ['final', 'pause', 'interim'] as const
export type Urgency = (typeof URGENCIES)[number]

/** Work for the process. Each call has at most one task, so calls of equal urgency take turns. */
export interface RecognitionTask {
  readonly urgency: Urgency
  /** Returns the audio. Called when the work starts, so that it is as recent as possible. */
  readonly takeRequest: () => RecognitionRequest
  /** Called once, unless the task is canceled. */
  readonly onEnd: (outcome: Recognition | { readonly failure: SpeechFailure }) => void
}

export interface RecognitionSchedulerOptions {
  readonly clock: Clock
  /** Starts a process. Throws if none can start. */
  readonly startProcess: () => RecognizerProcess
  /** Maximum number of waiting tasks. */
  readonly maxWaiting: number
  /** Time without calls after which the process is terminated. */
  readonly idleMs: number
  /** Maximum time to load the model. */
  readonly startLimitMs: number
  /** Maximum time of one request. */
  readonly workLimitMs: number
  /** Logs why the process ended unexpectedly. */
  readonly logError: (error: unknown) => void
}

const createFailure = (message: string, retryable = true): SpeechFailure => ({
  kind: 'unavailable',
  message,
  retryable,
})
const QUEUE_FULL_FAILURE = createFailure('Too many calls are waiting for the built-in speech recognition.')
const START_FAILURE = createFailure('The process of the built-in speech recognition could not be started.')
const EXIT_FAILURE = createFailure('The process of the built-in speech recognition ended unexpectedly.')
const STOPPING_FAILURE = createFailure('The server is stopping.', false)

const doNothing = (): void => {}

/**
 * Shares one process among all calls. The process starts on demand and ends when no call is open. Interim work takes at most
 * half of its time, so that it is often free when an utterance ends, and none while more urgent work waits.
 */
export class RecognitionScheduler {
  readonly #options: RecognitionSchedulerOptions
  readonly #waiting: Readonly<Record<Urgency, Set<RecognitionTask>>> = {
    final: new Set(),
    pause: new Set(),
    interim: new Set(),
  }
  #process: RecognizerProcess | null = null
  #isReady = false
  #readyAtMs = 0
  #running: RecognitionTask | null = null
  /** Processes that are being terminated. */
  readonly #terminations = new Set<Promise<void>>()
  #callCount = 0
  #interimAllowedAtMs = 0
  #cancelInterimTimer = doNothing
  #cancelIdleTimer = doNothing
  #isClosed = false

  constructor(options: RecognitionSchedulerOptions) {
    this.#options = options
  }

  /** The ID of the running process. */
  get processId(): number | undefined {
    return this.#process?.pid
  }

  /** Time since the model was loaded, or 0 while it is not. */
  get readyMs(): number {
    return this.#isReady ? this.#options.clock.now() - this.#readyAtMs : 0
  }

  /** Starts the process in advance, for a call that is about to start. */
  warmUp(): void {
    if (this.#isClosed) return
    this.#ensureProcess()
    this.#restartIdleTimer()
  }

  /** Keeps the process running until the returned function is called. */
  addCall(): () => void {
    this.#callCount += 1
    this.warmUp()
    let isRemoved = false
    return () => {
      if (isRemoved) return
      isRemoved = true
      this.#callCount -= 1
      this.#restartIdleTimer()
    }
  }

  /** Adds a task. Returns a function that cancels it. `onEnd` is never called during this method, but `takeRequest` can be. */
  enqueue(task: RecognitionTask): () => void {
    const rejection = this.#isClosed ? STOPPING_FAILURE : this.#isFull() ? QUEUE_FULL_FAILURE : null
    let isCanceled = false
    if (rejection !== null) {
      queueMicrotask(() => {
        if (!isCanceled) task.onEnd({ failure: rejection })
      })
    } else {
      this.#waiting[task.urgency].add(task)
      this.#ensureProcess()
      this.#startNext()
    }
    return () => {
      isCanceled = true
      this.#waiting[task.urgency].delete(task)
      // The process finishes running work, which takes less than a second.
      if (this.#running === task) this.#running = { ...task, onEnd: doNothing }
    }
  }

  /** Terminates the process. All tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelIdleTimer()
    this.#cancelInterimTimer()
    this.#failWaiting(STOPPING_FAILURE)
    this.#finishRunning({ failure: STOPPING_FAILURE })
    this.#terminate()
    await Promise.all(this.#terminations)
  }

  #isFull(): boolean {
    return URGENCIES.reduce((sum, urgency) => sum + this.#waiting[urgency].size, 0) >= this.#options.maxWaiting
  }

  #ensureProcess(): void {
    if (this.#process !== null) return
    const { startProcess, clock, startLimitMs, logError } = this.#options
    let recognizer: RecognizerProcess
    try {
      recognizer = startProcess()
    } catch (error) {
      logError(error)
      queueMicrotask(() => this.#failWaiting(START_FAILURE))
      return
    }
    this.#process = recognizer
    const cancelStartLimit = clock.after(startLimitMs, () => void recognizer.terminate())
    void recognizer.ready.then((isReady) => {
      cancelStartLimit()
      if (this.#process !== recognizer || !isReady) return
      this.#isReady = true
      this.#readyAtMs = clock.now()
      this.#startNext()
    })
    void recognizer.exited.then((reason) => {
      if (this.#process === recognizer) this.#handleExit(reason)
    })
  }

  #handleExit(reason: string): void {
    const wasReady = this.#isReady
    this.#process = null
    this.#isReady = false
    this.#options.logError(new Error(`The process of the built-in speech recognition ended unexpectedly (${reason}).`))
    this.#finishRunning({ failure: EXIT_FAILURE })
    if (!wasReady) this.#failWaiting(START_FAILURE)
    // A process that never became ready is started again only on demand, so that it cannot fail in a loop.
    else if (this.#callCount > 0) this.#ensureProcess()
  }

  #startNext(): void {
    if (this.#running !== null || this.#process === null || !this.#isReady) return
    const task = this.#takeNext()
    if (task !== null) void this.#run(task, this.#process)
  }

  async #run(task: RecognitionTask, recognizer: RecognizerProcess): Promise<void> {
    const { clock, workLimitMs } = this.#options
    this.#running = task
    const startedAtMs = clock.now()
    const cancelWorkLimit = clock.after(workLimitMs, () => void recognizer.terminate())
    const recognition = await recognizer.recognize(task.takeRequest())
    cancelWorkLimit()
    // The exit of the process ends the task.
    if (recognition === null || this.#process !== recognizer) return
    const nowMs = clock.now()
    if (task.urgency === 'interim') this.#interimAllowedAtMs = nowMs + (nowMs - startedAtMs)
    this.#finishRunning(recognition)
    this.#startNext()
  }

  #finishRunning(outcome: Parameters<RecognitionTask['onEnd']>[0]): void {
    const task = this.#running
    this.#running = null
    task?.onEnd(outcome)
  }

  #takeNext(): RecognitionTask | null {
    const urgency = URGENCIES.find((candidate) => this.#waiting[candidate].size > 0)
    if (urgency === undefined || (urgency === 'interim' && !this.#isInterimAllowed())) return null
    for (const task of this.#waiting[urgency]) {
      this.#waiting[urgency].delete(task)
      return task
    }
    return null
  }

  #isInterimAllowed(): boolean {
    const { clock } = this.#options
    const remainingMs = this.#interimAllowedAtMs - clock.now()
    if (remainingMs <= 0) return true
    this.#cancelInterimTimer()
    this.#cancelInterimTimer = clock.after(remainingMs, () => this.#startNext())
    return false
  }

  #failWaiting(failure: SpeechFailure): void {
    for (const urgency of URGENCIES) {
      const tasks = [...this.#waiting[urgency]]
      this.#waiting[urgency].clear()
      for (const task of tasks) task.onEnd({ failure })
    }
  }

  #restartIdleTimer(): void {
    this.#cancelIdleTimer()
    this.#cancelIdleTimer = doNothing
    if (this.#callCount > 0 || this.#process === null || this.#isClosed) return
    this.#cancelIdleTimer = this.#options.clock.after(this.#options.idleMs, () => this.#terminate())
  }

  #terminate(): void {
    const recognizer = this.#process
    if (recognizer === null) return
    this.#process = null
    this.#isReady = false
    this.#running = null
    const termination = recognizer.terminate().then(() => {
      this.#terminations.delete(termination)
    })
    this.#terminations.add(termination)
  }
}
