import type { Worker } from 'node:worker_threads'
import type { Clock } from '@parley/engine/ports'
import type { SpeechEvent, SpeechFailure } from '@parley/engine/voice/ports'
import { WorkerPool } from '../../worker-pool.ts'
import { startThread } from '../../worker-thread.ts'
import { type FliteJob, type FliteRequest, type FliteResponse, toFliteError, toFliteFault } from './flite-protocol.ts'

export interface FlitePoolOptions {
  readonly clock: Clock
  readonly maxThreads: number
  readonly maxQueued: number
  /** Time limit of a request, which can wait for half of this time. Also limits the time that a thread spends on a text. */
  readonly deadlineMs: number
  /** Time after which an idle thread is terminated. */
  readonly idleMs: number
  /** Starts a thread. Throws if no thread can start. `onFailure` receives later failures. */
  readonly startThread: (onFailure: (error: unknown) => void) => SpeakingThread
  /** Logs the first failure since the last success, so that repeated failures do not flood the log. */
  readonly logError: (error: unknown) => void
}

/** Receives audio, then words, and then exactly one `onEnd` call. A canceled request receives nothing more. */
export interface FliteJobListener {
  onEvent(event: Extract<SpeechEvent, { type: 'audio' | 'words' }>): void
  onEnd(failure: SpeechFailure | null): void
}

interface FlitePoolJob {
  readonly request: FliteRequest
  readonly listener: FliteJobListener
  cancelDeadline: () => void
  cancelWait: () => void
  isDone: boolean
}

/** Share of the time limit that a request can spend in the queue. Audio that starts later would arrive too late. */
const MAX_WAIT_RATIO = 0.5

const doNothing = (): void => {}

const QUEUE_FULL_FAILURE: SpeechFailure = {
  kind: 'unavailable',
  message: 'Too many texts are waiting for the built-in voices.',
  retryable: true,
}
const STOPPING_FAILURE: SpeechFailure = { kind: 'unavailable', message: 'The server is stopping.', retryable: false }
const START_FAILURE: SpeechFailure = {
  kind: 'unavailable',
  message: 'The thread of the built-in voices could not be started.',
  retryable: true,
}
const THREAD_EXIT_FAILURE: SpeechFailure = {
  kind: 'unavailable',
  message: 'The thread of the built-in voices ended unexpectedly.',
  retryable: true,
}
const SYNTHESIS_FAILURE: SpeechFailure = {
  kind: 'rejected',
  message: 'The built-in voices could not speak the text.',
  retryable: false,
}

/** A pool of speaking threads, which start on demand and end when idle. */
export class FlitePool {
  readonly #options: FlitePoolOptions
  readonly #queue: FlitePoolJob[] = []
  readonly #running = new Set<FlitePoolJob>()
  readonly #threads: WorkerPool<SpeakingThread>
  #isFailureLogged = false
  #isClosed = false

  constructor(options: FlitePoolOptions) {
    this.#options = options
    this.#threads = new WorkerPool({
      clock: options.clock,
      maxWorkers: options.maxThreads,
      idleMs: options.idleMs,
      start: () => this.#start(),
      onExit: () => this.#startJobs(),
    })
  }

  /** Enqueues a text. Returns a function that cancels the request. Never calls the listener synchronously. */
  enqueue(request: FliteRequest, listener: FliteJobListener): () => void {
    const job: FlitePoolJob = { request, listener, cancelDeadline: doNothing, cancelWait: doNothing, isDone: false }
    if (this.#isClosed || this.#queue.length >= this.#options.maxQueued) {
      const failure = this.#isClosed ? STOPPING_FAILURE : QUEUE_FULL_FAILURE
      queueMicrotask(() => this.#complete(job, failure))
    } else {
      const { deadlineMs } = this.#options
      job.cancelDeadline = this.#expireAfter(job, deadlineMs)
      job.cancelWait = this.#expireAfter(job, deadlineMs * MAX_WAIT_RATIO)
      this.#queue.push(job)
      this.#startJobs()
    }
    return () => this.#cancelJob(job)
  }

  /** Terminates all threads. Waiting and running requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#queue.splice(0), ...this.#running]) this.#complete(job, STOPPING_FAILURE)
    await this.#threads.close()
  }

  /** Starts a thread before the first text. */
  warmUp(): void {
    if (this.#isClosed || this.#threads.size > 0) return
    const thread = this.#threads.acquire()
    if (thread !== null) this.#threads.release(thread)
  }

  get threadCount(): number {
    return this.#threads.size
  }

  #startJobs(): void {
    while (!this.#isClosed && this.#threads.hasCapacity) {
      const job = this.#queue.shift()
      if (job === undefined) return
      const thread = this.#threads.acquire()
      if (thread !== null) this.#run(job, thread)
      else queueMicrotask(() => this.#complete(job, START_FAILURE))
    }
  }

  #run(job: FlitePoolJob, thread: SpeakingThread): void {
    this.#running.add(job)
    job.cancelWait()
    // The thread's time limit starts after the wait, because waiting is not the thread's fault.
    const cancelTimeout = this.#options.clock.after(this.#options.deadlineMs, () => void thread.terminate())
    thread.speak(job.request, {
      onResponse: (response) => this.#forward(job, response),
      onEnd: (result) => {
        cancelTimeout()
        this.#handleResult(job, thread, result)
      },
    })
  }

  #forward(job: FlitePoolJob, response: FliteResponse): void {
    if (job.isDone) return
    if (response.kind === 'audio') job.listener.onEvent({ type: 'audio', samples: response.samples })
    else if (response.kind === 'words') job.listener.onEvent({ type: 'words', words: response.words })
  }

  #handleResult(job: FlitePoolJob, thread: SpeakingThread, result: FliteResult): void {
    this.#running.delete(job)
    this.#complete(job, result === 'words' ? null : result === 'error' ? SYNTHESIS_FAILURE : THREAD_EXIT_FAILURE)
    if (result === 'words') this.#isFailureLogged = false
    if (result !== 'lost') this.#threads.release(thread)
    this.#startJobs()
  }

  #expireAfter(job: FlitePoolJob, delayMs: number): () => void {
    const message = `The built-in voices did not speak within ${delayMs / 1000} seconds.`
    return this.#options.clock.after(delayMs, () => this.#complete(job, { kind: 'timeout', message, retryable: true }))
  }

  #complete(job: FlitePoolJob, failure: SpeechFailure | null): void {
    const wasDone = job.isDone
    this.#cancelJob(job)
    if (!wasDone) job.listener.onEnd(failure)
  }

  /** Cancels a request. A running text is finished and discarded, because it takes only a fraction of a second. */
  #cancelJob(job: FlitePoolJob): void {
    job.isDone = true
    job.cancelDeadline()
    job.cancelWait()
    const index = this.#queue.indexOf(job)
    if (index !== -1) this.#queue.splice(index, 1)
  }

  #start(): SpeakingThread {
    try {
      return this.#options.startThread((error) => this.#logFailure(error))
    } catch (error) {
      this.#logFailure(error)
      throw error
    }
  }

  #logFailure(error: unknown): void {
    if (!this.#isFailureLogged) this.#options.logError(error)
    this.#isFailureLogged = true
  }
}

/** Heap limit. The synthesizer's memory of about 25 MB per run is outside the heap. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 }

export type FliteResult = Exclude<FliteResponse, { kind: 'audio' }>['kind'] | 'lost'

/** Receives `audio`, then `words`, and then exactly one `onEnd` call, even after a failure. */
export interface FliteListener {
  onResponse(response: FliteResponse): void
  onEnd(result: FliteResult): void
}

export type SpeakingThread = Pick<FliteThread, 'speak' | 'terminate' | 'exited'>

/** Controls a worker thread that speaks one text at a time. */
export class FliteThread {
  readonly #worker: Worker
  readonly #onFailure: (error: Error) => void
  #jobId = 0
  #listener: FliteListener | null = null
  #isEnding = false
  #hasExited = false
  /** Resolves when the thread has exited, regardless of the reason. */
  readonly exited: Promise<void>

  /** `onFailure` receives the reason why a text failed or the thread crashed. Errors do not quote the text. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure
    const file = new URL('./flite-worker.ts', import.meta.url)
    this.#worker = startThread({ file, name: 'speech', resourceLimits: RESOURCE_LIMITS })
    this.#worker.on('message', (response: FliteResponse) => this.#onMessage(response))
    // Only logs the error, because the exit event follows.
    this.#worker.on('error', (error) => onFailure(toFliteError(toFliteFault(error))))
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#end('lost')
        resolve()
      })
    })
  }

  /** Speaks one text. The previous text must have ended. */
  speak(request: FliteRequest, listener: FliteListener): void {
    this.#jobId += 1
    this.#listener = listener
    const job: FliteJob = { ...request, jobId: this.#jobId }
    if (this.#hasExited) this.#end('lost')
    else this.#worker.postMessage(job)
  }

  /** Terminates the thread, regardless of its current work. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }

  #onMessage(response: FliteResponse): void {
    if (response.jobId !== this.#jobId) return
    this.#listener?.onResponse(response)
    if (response.kind === 'error') this.#onFailure(toFliteError(response.fault))
    // Ignores a response that arrives while the thread is being terminated.
    if (response.kind !== 'audio') this.#end(this.#isEnding ? 'lost' : response.kind)
  }

  #end(result: FliteResult): void {
    const listener = this.#listener
    this.#listener = null
    listener?.onEnd(result)
  }
}
