import type { Clock } from '@parley/engine/ports'
import { OutboundError } from '../../platform/outbound/outbound-failure.ts'

/** Bytes that the answers of one operation may have together. */
export interface ByteBudget {
  remainingBytes: number
}

export interface ExchangeOptions {
  readonly clock: Clock
  readonly budget: ByteBudget
  readonly timeoutMs: number
  /** Asks for what the server has sent since the event of this id; events come to the same exchange. */
  readonly resume: (lastEventId: string) => Promise<void>
}

/**
 * One request to a server with everything that belongs to it: the streams its answer may come over, and what is sent in reply
 * to what the server asks meanwhile.
 */
export interface Exchange {
  readonly options: ExchangeOptions
  /** Aborts when the exchange is over, so that no stream outlives it. */
  readonly signal: AbortSignal
  /** Rejects when the answer cannot come any more. */
  readonly broken: Promise<never>
  /** Breaks the exchange, and throws, at one request more than it may need. */
  countRequest(): void
  /** Breaks the exchange at one message more than a server may have to say. */
  countMessage(): void
  streamOpened(): void
  /** `error`: why it broke off; `null` when the server ended it. */
  streamEnded(error: unknown): void
  /** The stream can be asked for again from this event on. */
  resumableFrom(lastEventId: string): void
  /** Gives back what it holds; an answer that is not there by now is not waited for. */
  end(): void
}

/** What a server may make us send for one answer of its own: replies to its pings, and streams asked for again. */
const MAX_REQUESTS = 1000
/** Each has to be taken apart and checked, so that small ones cost more than their bytes. */
const MAX_MESSAGES = 5000
/** What was read before the end of a stream is still being taken apart when the end is seen. */
const FINAL_EVENTS_WAIT_MS = 250
/** Before a stream is asked for again; how long a server may want us to wait is not its decision. */
const RESUME_DELAY_MS = 1000

/** Begins an exchange; `end` must be called when its answer is there or nobody wants it any more. */
export function startExchange(options: ExchangeOptions): Exchange {
  const { clock, resume } = options
  const controller = new AbortController()
  const broken = Promise.withResolvers<never>()
  // Most exchanges succeed, and then nobody looks at it.
  broken.promise.catch(() => undefined)
  let openStreams = 0
  let requests = 0
  let messages = 0
  let lastEventId: string | null = null
  let lastError: unknown = null
  let cancelTimer = (): unknown => undefined

  const failExchange = (message: string): OutboundError => {
    const error = new OutboundError('too-large', message)
    broken.reject(error)
    return error
  }
  const resumeStream = (eventId: string): void => {
    lastEventId = null
    resume(eventId).catch(broken.reject)
  }
  const onSilence = (): void => {
    if (lastEventId === null) {
      broken.reject(lastError ?? new OutboundError('network', 'The server ended its answer before it was complete.'))
      return
    }
    const eventId = lastEventId
    cancelTimer = clock.after(RESUME_DELAY_MS, () => resumeStream(eventId))
  }

  return {
    options,
    signal: controller.signal,
    broken: broken.promise,
    countRequest() {
      requests++
      if (requests > MAX_REQUESTS) throw failExchange('The server asks for too much in one answer.')
    },
    countMessage() {
      messages++
      if (messages > MAX_MESSAGES) failExchange('The server sends too many messages in one answer.')
    },
    streamOpened() {
      openStreams++
      cancelTimer()
    },
    streamEnded(error) {
      openStreams--
      lastError = error
      if (error instanceof OutboundError && error.reason === 'too-large') broken.reject(error)
      if (openStreams === 0 && !controller.signal.aborted) cancelTimer = clock.after(FINAL_EVENTS_WAIT_MS, onSilence)
    },
    resumableFrom(eventId) {
      lastEventId = eventId
    },
    end() {
      cancelTimer()
      controller.abort()
      broken.reject(new OutboundError('cancelled', 'The request was cancelled.'))
    },
  }
}
