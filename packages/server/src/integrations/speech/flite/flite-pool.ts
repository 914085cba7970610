import type { Worker } from 'node:worker_threads'
import type { Clock } from '@parley/engine/ports'
import type { SpeechEvent, SpeechFailure } from '@parley/engine/voice/ports'
import { WorkerPool } from '../../worker-pool.ts'
import { startThread } from '../../worker-thread.ts'
import { errorOf, type FliteJob, type FliteRequest, type FliteResponse, faultOf } from './flite-protocol.ts'

export interface FlitePoolOptions {
  readonly clock: Clock
  readonly maxThreads: number
  readonly maxQueued: number
  /** From the order to its last word, of which it waits half at most; and how long a thread may take over one text. */
  readonly deadlineMs: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
  /** Throws when the system has no thread. `onFailure` receives later failures. */
  readonly startThread: (onFailure: (error: unknown) => void) => SpeakingThread
  /** Reports a failure once until a text succeeds, so that repeated failures do not flood the log. */
  readonly logError: (error: unknown) => void
}

/** Hears of one order: sound, words, and then exactly one end, `null` when all went well. Nothing after it was dropped. */
export interface FliteJobListener {
  event(event: Extract<SpeechEvent, { type: 'audio' | 'words' }>): void
  ended(failure: SpeechFailure | null): void
}

interface SpeechJob {
  readonly request: FliteRequest
  readonly listener: FliteJobListener
  cancelDeadline: () => void
  cancelWait: () => void
  isSettled: boolean
}

/** Of its time, what an order may wait: one that is begun later would be spoken for nobody, in the place of one in time. */
const MAX_QUEUE_SHARE = 0.5

const ignore = (): void => {}

const BUSY: SpeechFailure = {
  kind: 'unavailable',
  message: 'Too many texts wait for the built-in voices.',
  retryable: true,
}
const STOPPING: SpeechFailure = { kind: 'unavailable', message: 'The server is stopping.', retryable: false }
const NOT_STARTED: SpeechFailure = {
  kind: 'unavailable',
  message: 'No thread could be started for the built-in voices.',
  retryable: true,
}
const LOST: SpeechFailure = {
  kind: 'unavailable',
  message: 'The thread of the built-in voices ended.',
  retryable: true,
}
const BROKEN: SpeechFailure = {
  kind: 'rejected',
  message: 'The built-in voices could not speak the text.',
  retryable: false,
}

/** Threads that speak. They start when there is work and end when there has been none for a while. */
export class FlitePool {
  readonly #options: FlitePoolOptions
  readonly #queue: SpeechJob[] = []
  readonly #running = new Set<SpeechJob>()
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
      onExit: () => this.#advance(),
    })
  }

  /** Puts a text in line and answers what drops it. The listener is never called while this runs. */
  enqueue(request: FliteRequest, listener: FliteJobListener): () => void {
    const job: SpeechJob = { request, listener, cancelDeadline: ignore, cancelWait: ignore, isSettled: false }
    if (this.#isClosed || this.#queue.length >= this.#options.maxQueued) {
      const failure = this.#isClosed ? STOPPING : BUSY
      queueMicrotask(() => this.#settle(job, failure))
    } else {
      const { deadlineMs } = this.#options
      job.cancelDeadline = this.#expireAfter(job, deadlineMs)
      job.cancelWait = this.#expireAfter(job, deadlineMs * MAX_QUEUE_SHARE)
      this.#queue.push(job)
      this.#advance()
    }
    return () => this.#drop(job)
  }

  /** Ends all threads; what waits or runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#queue.splice(0), ...this.#running]) this.#settle(job, STOPPING)
    await this.#threads.close()
  }

  /** Starts a thread ahead of the first text. */
  warm(): void {
    if (this.#isClosed || this.#threads.size > 0) return
    const thread = this.#threads.take()
    if (thread !== null) this.#threads.rest(thread)
  }

  get threadCount(): number {
    return this.#threads.size
  }

  #advance(): void {
    while (!this.#isClosed && this.#threads.hasRoom) {
      const job = this.#queue.shift()
      if (job === undefined) return
      const thread = this.#threads.take()
      if (thread !== null) this.#run(job, thread)
      else queueMicrotask(() => this.#settle(job, NOT_STARTED))
    }
  }

  #run(job: SpeechJob, thread: SpeakingThread): void {
    this.#running.add(job)
    job.cancelWait()
    // Its own time, from when it began: that a text waited long says nothing of the thread.
    const cancelHang = this.#options.clock.after(this.#options.deadlineMs, () => void thread.end())
    thread.speak(job.request, {
      onResponse: (answer) => this.#forward(job, answer),
      ended: (reply) => {
        cancelHang()
        this.#finish(job, thread, reply)
      },
    })
  }

  #forward(job: SpeechJob, answer: FliteResponse): void {
    if (job.isSettled) return
    if (answer.kind === 'audio') job.listener.event({ type: 'audio', samples: answer.samples })
    else if (answer.kind === 'words') job.listener.event({ type: 'words', words: answer.words })
  }

  #finish(job: SpeechJob, thread: SpeakingThread, reply: FliteReply): void {
    this.#running.delete(job)
    this.#settle(job, reply === 'words' ? null : reply === 'error' ? BROKEN : LOST)
    if (reply === 'words') this.#isFailureLogged = false
    if (reply !== 'lost') this.#threads.rest(thread)
    this.#advance()
  }

  #expireAfter(job: SpeechJob, delayMs: number): () => void {
    const message = `The built-in voices did not speak within ${delayMs / 1000} seconds.`
    return this.#options.clock.after(delayMs, () => this.#settle(job, { kind: 'timeout', message, retryable: true }))
  }

  #settle(job: SpeechJob, failure: SpeechFailure | null): void {
    const isSettled = job.isSettled
    this.#drop(job)
    if (!isSettled) job.listener.ended(failure)
  }

  /** What a thread works on already is finished unheard: it takes a fraction of a second. */
  #drop(job: SpeechJob): void {
    job.isSettled = true
    job.cancelDeadline()
    job.cancelWait()
    const place = this.#queue.indexOf(job)
    if (place !== -1) this.#queue.splice(place, 1)
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

/** Of the thread's heap; the synthesiser's own memory, some 25 MB a run, lies outside of it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 }

export type FliteReply = Exclude<FliteResponse, { kind: 'audio' }>['kind'] | 'lost'

/** Who waits for a text: `audio` comes before `words`, after which `ended` is called once, as it is for any failure. */
export interface FliteListener {
  onResponse(onResponse: FliteResponse): void
  ended(reply: FliteReply): void
}

/** A thread that speaks, as its pool knows it. */
export type SpeakingThread = Pick<FliteThread, 'speak' | 'end' | 'exited'>

/** The main thread's end of a thread that speaks, one text at a time. It does not keep the process alive. */
export class FliteThread {
  readonly #worker: Worker
  readonly #onFailure: (error: Error) => void
  #number = 0
  #listener: FliteListener | null = null
  #isEnding = false
  #hasExited = false
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  /** `onFailure` receives why a text failed or the thread died; errors do not quote the text. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure
    const file = new URL('./flite-worker.ts', import.meta.url)
    this.#worker = startThread({ file, name: 'speech', resourceLimits: RESOURCE_LIMITS })
    this.#worker.on('message', (onResponse: FliteResponse) => this.#onMessage(onResponse))
    // An error is followed by the exit.
    this.#worker.on('error', (error) => onFailure(errorOf(faultOf(error))))
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#end('lost')
        resolve()
      })
    })
  }

  /** Speaks one text; the next one after this has ended. */
  speak(request: FliteRequest, listener: FliteListener): void {
    this.#number += 1
    this.#listener = listener
    const order: FliteJob = { ...request, number: this.#number }
    if (this.#hasExited) this.#end('lost')
    else this.#worker.postMessage(order)
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }

  #onMessage(onResponse: FliteResponse): void {
    if (onResponse.number !== this.#number) return
    this.#listener?.onResponse(onResponse)
    if (onResponse.kind === 'error') this.#onFailure(errorOf(onResponse.fault))
    // An answer may have been on its way when the end came.
    if (onResponse.kind !== 'audio') this.#end(this.#isEnding ? 'lost' : onResponse.kind)
  }

  #end(reply: FliteReply): void {
    const listener = this.#listener
    this.#listener = null
    listener?.ended(reply)
  }
}
