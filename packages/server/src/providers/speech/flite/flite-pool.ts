import type { Clock } from '@parley/engine/ports'
import type { SpeechEvent, SpeechFailure } from '@parley/engine/voice/ports'
import { WorkerCrew } from '../../worker-crew.ts'
import type { FliteAnswer, FliteRequest } from './flite-protocol.ts'
import type { FliteReply, SpeakingThread } from './flite-thread.ts'

export interface FlitePoolOptions {
  readonly clock: Clock
  readonly mostThreads: number
  readonly mostWaiting: number
  /** From the order to its last word, of which it waits half at most; and how long a thread may take over one text. */
  readonly deadlineMs: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
  /** Throws when the system gives none. `onFailure` is told what breaks in it. */
  readonly startThread: (onFailure: (error: unknown) => void) => SpeakingThread
  /** Told of what breaks once, until a text is spoken again: all of them may break, and the log must not be full of it. */
  readonly logError: (error: unknown) => void
}

/** Hears of one order: sound, words, and then exactly one end, `null` when all went well. Nothing after it was dropped. */
export interface FliteOrderListener {
  event(event: Extract<SpeechEvent, { type: 'audio' | 'words' }>): void
  ended(failure: SpeechFailure | null): void
}

interface Order {
  readonly request: FliteRequest
  readonly listener: FliteOrderListener
  cancelDeadline: () => void
  cancelWait: () => void
  isOver: boolean
}

/** Of its time, what an order may wait: one that is begun later would be spoken for nobody, in the place of one in time. */
const WAIT_SHARE = 0.5

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
  readonly #waiting: Order[] = []
  readonly #running = new Set<Order>()
  readonly #threads: WorkerCrew<SpeakingThread>
  #isFailureLogged = false
  #isClosed = false

  constructor(options: FlitePoolOptions) {
    this.#options = options
    this.#threads = new WorkerCrew({
      clock: options.clock,
      most: options.mostThreads,
      idleMs: options.idleMs,
      start: () => this.#start(),
      onExit: () => this.#advance(),
    })
  }

  /** Puts a text in line and answers what drops it. The listener is never called while this runs. */
  order(request: FliteRequest, listener: FliteOrderListener): () => void {
    const order: Order = { request, listener, cancelDeadline: ignore, cancelWait: ignore, isOver: false }
    if (this.#isClosed || this.#waiting.length >= this.#options.mostWaiting) {
      const failure = this.#isClosed ? STOPPING : BUSY
      queueMicrotask(() => this.#settle(order, failure))
    } else {
      const { deadlineMs } = this.#options
      order.cancelDeadline = this.#expireAfter(order, deadlineMs)
      order.cancelWait = this.#expireAfter(order, deadlineMs * WAIT_SHARE)
      this.#waiting.push(order)
      this.#advance()
    }
    return () => this.#drop(order)
  }

  /** Ends all threads; what waits or runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const order of [...this.#waiting.splice(0), ...this.#running]) this.#settle(order, STOPPING)
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
      const order = this.#waiting.shift()
      if (order === undefined) return
      const thread = this.#threads.take()
      if (thread !== null) this.#run(order, thread)
      else queueMicrotask(() => this.#settle(order, NOT_STARTED))
    }
  }

  #run(order: Order, thread: SpeakingThread): void {
    this.#running.add(order)
    order.cancelWait()
    // Its own time, from when it began: that a text waited long says nothing of the thread.
    const cancelHang = this.#options.clock.after(this.#options.deadlineMs, () => void thread.end())
    thread.speak(order.request, {
      answer: (answer) => this.#tell(order, answer),
      ended: (reply) => {
        cancelHang()
        this.#finish(order, thread, reply)
      },
    })
  }

  #tell(order: Order, answer: FliteAnswer): void {
    if (order.isOver) return
    if (answer.kind === 'audio') order.listener.event({ type: 'audio', samples: answer.samples })
    else if (answer.kind === 'words') order.listener.event({ type: 'words', words: answer.words })
  }

  #finish(order: Order, thread: SpeakingThread, reply: FliteReply): void {
    this.#running.delete(order)
    this.#settle(order, reply === 'words' ? null : reply === 'error' ? BROKEN : LOST)
    if (reply === 'words') this.#isFailureLogged = false
    if (reply !== 'lost') this.#threads.rest(thread)
    this.#advance()
  }

  #expireAfter(order: Order, delayMs: number): () => void {
    const message = `The built-in voices did not speak within ${delayMs / 1000} seconds.`
    return this.#options.clock.after(delayMs, () => this.#settle(order, { kind: 'timeout', message, retryable: true }))
  }

  #settle(order: Order, failure: SpeechFailure | null): void {
    const isOver = order.isOver
    this.#drop(order)
    if (!isOver) order.listener.ended(failure)
  }

  /** What a thread works on already is finished unheard: it takes a fraction of a second. */
  #drop(order: Order): void {
    order.isOver = true
    order.cancelDeadline()
    order.cancelWait()
    const place = this.#waiting.indexOf(order)
    if (place !== -1) this.#waiting.splice(place, 1)
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
