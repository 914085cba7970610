import type { Clock } from '@parley/engine/ports'
import { OutboundError } from '../../platform/outbound/guarded-agent.ts'

/** Byte budget for all responses of one operation. */
export interface ByteBudget {
  remainingBytes: number
}

export interface ExchangeOptions {
  readonly clock: Clock
  readonly budget: ByteBudget
  readonly timeoutMs: number
  /** Resumes the stream after the event with this id, in the same exchange. */
  readonly resume: (lastEventId: string) => Promise<void>
}

/** One request to a server, with its response streams and the replies to requests of the server. */
export interface Exchange {
  readonly options: ExchangeOptions
  /** Aborts when the exchange ends, so that no stream outlives the exchange. */
  readonly signal: AbortSignal
  /** Rejects if a response can no longer arrive. */
  readonly broken: Promise<never>
  /** Counts a request. Above the limit, breaks the exchange and throws. */
  countRequest(): void
  /** Counts a message. Above the limit, breaks the exchange. */
  countMessage(): void
  streamOpened(): void
  /** Handles the end of a stream. `error` is the reason why the stream broke, or null if the server ended it. */
  streamEnded(error: unknown): void
  /** Records that the stream can be resumed after this event. */
  resumableFrom(lastEventId: string): void
  /** Ends the exchange. A missing response is no longer awaited. */
  end(): void
}

/** Maximum number of requests per response, such as replies to pings and resumed streams. */
const MAX_REQUESTS = 1000
/** Maximum number of messages, because parsing many small messages is expensive. */
const MAX_MESSAGES = 5000
/** The last events may still be in the parser when a stream ends. */
const FINAL_EVENTS_WAIT_MS = 250
/** Delay before a stream is resumed. The server's own delay is ignored. */
const RESUME_DELAY_MS = 1000

/** Starts an exchange. Callers must call `end` after the response, or if the exchange is no longer needed. */
export function startExchange(options: ExchangeOptions): Exchange {
  const { clock, resume } = options
  const controller = new AbortController()
  const broken = Promise.withResolvers<never>()
  // Successful exchanges never observe this promise.
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
      if (requests > MAX_REQUESTS) throw failExchange('The server requires too many requests for one answer.')
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
