import type { Clock } from '@parley/engine/ports'
import type { SpeechEvent, SpeechFailure } from '@parley/engine/voice/ports'
import type { FliteAnswer, FliteRequest } from './flite-protocol.ts'
import { type FliteReply, FliteThread } from './flite-thread.ts'

export interface FlitePoolOptions {
  readonly clock: Clock
  readonly mostThreads: number
  readonly mostWaiting: number
  /** From the order to its last word, the wait in line included. */
  readonly deadlineMs: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
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
  thread: FliteThread | null
  isOver: boolean
}

const BUSY: SpeechFailure = {
  kind: 'unavailable',
  message: 'Too many texts wait for the built-in voices.',
  retryable: true,
}
const STOPPING: SpeechFailure = { kind: 'unavailable', message: 'The server is stopping.', retryable: false }
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
  /** All that have not exited. */
  readonly #threads = new Set<FliteThread>()
  /** Those without work, used last last, each with what stops its timer. */
  readonly #idle = new Map<FliteThread, () => void>()
  readonly #running = new Set<Order>()
  #isClosed = false

  constructor(options: FlitePoolOptions) {
    this.#options = options
  }

  /** Puts a text in line and answers what drops it. The listener is never called while this runs. */
  order(request: FliteRequest, listener: FliteOrderListener): () => void {
    const order: Order = { request, listener, cancelDeadline: () => {}, thread: null, isOver: false }
    if (this.#isClosed || this.#waiting.length >= this.#options.mostWaiting) {
      const failure = this.#isClosed ? STOPPING : BUSY
      queueMicrotask(() => this.#settle(order, failure))
    } else {
      order.cancelDeadline = this.#options.clock.after(this.#options.deadlineMs, () => this.#expire(order))
      this.#waiting.push(order)
      this.#advance()
    }
    return () => this.#drop(order)
  }

  /** Ends all threads; what waits or runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const order of [...this.#waiting.splice(0), ...this.#running]) this.#settle(order, STOPPING)
    for (const cancel of this.#idle.values()) cancel()
    this.#idle.clear()
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  /** Starts a thread ahead of the first text. */
  warm(): void {
    if (this.#isClosed || this.#threads.size > 0) return
    const thread = this.#start()
    if (thread !== null) this.#rest(thread)
  }

  get threadCount(): number {
    return this.#threads.size
  }

  #advance(): void {
    while (!this.#isClosed && (this.#idle.size > 0 || this.#threads.size < this.#options.mostThreads)) {
      const order = this.#waiting.shift()
      if (order === undefined) return
      const thread = this.#takeIdle() ?? this.#start()
      if (thread !== null) this.#run(order, thread)
      else queueMicrotask(() => this.#settle(order, LOST))
    }
  }

  #run(order: Order, thread: FliteThread): void {
    order.thread = thread
    this.#running.add(order)
    thread.speak(order.request, {
      answer: (answer) => this.#tell(order, answer),
      ended: (reply) => this.#finish(order, thread, reply),
    })
  }

  #tell(order: Order, answer: FliteAnswer): void {
    if (order.isOver) return
    if (answer.kind === 'audio') order.listener.event({ type: 'audio', samples: answer.samples })
    else if (answer.kind === 'words') order.listener.event({ type: 'words', words: answer.words })
  }

  #finish(order: Order, thread: FliteThread, reply: FliteReply): void {
    this.#running.delete(order)
    this.#settle(order, reply === 'words' ? null : reply === 'error' ? BROKEN : LOST)
    if (reply === 'lost') this.#threads.delete(thread)
    else this.#rest(thread)
    this.#advance()
  }

  /** A thread whose text takes so long hangs. */
  #expire(order: Order): void {
    const { deadlineMs } = this.#options
    this.#leaveLine(order)
    const message = `The built-in voices did not speak within ${deadlineMs / 1000} seconds.`
    this.#settle(order, { kind: 'timeout', message, retryable: true })
    if (order.thread !== null) void order.thread.end()
  }

  /** What a thread works on already is finished unheard: it takes a fraction of a second. Only its deadline stays. */
  #drop(order: Order): void {
    order.isOver = true
    this.#leaveLine(order)
    if (order.thread === null) order.cancelDeadline()
  }

  #leaveLine(order: Order): void {
    const place = this.#waiting.indexOf(order)
    if (place !== -1) this.#waiting.splice(place, 1)
  }

  #settle(order: Order, failure: SpeechFailure | null): void {
    order.cancelDeadline()
    if (order.isOver) return
    order.isOver = true
    order.listener.ended(failure)
  }

  /** `null` when the system gives no thread. */
  #start(): FliteThread | null {
    let thread: FliteThread
    try {
      thread = new FliteThread()
    } catch {
      return null
    }
    this.#threads.add(thread)
    void thread.exited.then(() => {
      this.#threads.delete(thread)
      this.#wake(thread)
      this.#advance()
    })
    return thread
  }

  /** The one used last, so that those that are not needed stay without work. */
  #takeIdle(): FliteThread | null {
    const thread = [...this.#idle.keys()].at(-1)
    if (thread === undefined) return null
    this.#wake(thread)
    return thread
  }

  #rest(thread: FliteThread): void {
    const end = (): void => {
      this.#idle.delete(thread)
      void thread.end()
    }
    this.#idle.set(thread, this.#options.clock.after(this.#options.idleMs, end))
  }

  #wake(thread: FliteThread): void {
    this.#idle.get(thread)?.()
    this.#idle.delete(thread)
  }
}
