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

/** One request to a server, with its response streams and the replies to the server's own requests. */
export interface Exchange {
  readonly options: ExchangeOptions
  /** Aborts when the exchange ends, so that no stream outlives the exchange. */
  readonly signal: AbortSignal
  /** Rejects if a response can no longer arrive. */
  readonly failed: Promise<never>
  /** Counts a request. Above the limit, breaks the exchange and throws. */
  countRequest(): void
  /** Counts a message. Above the limit, breaks the exchange. */
  countMessage(): void
  onStreamOpened(): void
  /** Handles the end of a stream. `error` is the reason why the stream broke, or null if the server ended it. */
  onStreamEnded(error: unknown): void
  /** Sets the event after which the stream can be resumed. */
  setResumePoint(lastEventId: string): void
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
  const failed = Promise.withResolvers<never>()
  // Successful exchanges never observe this promise.
  failed.promise.catch(() => undefined)
  let openStreams = 0
  let requestCount = 0
  let messageCount = 0
  let lastEventId: string | null = null
  let lastError: unknown = null
  let cancelTimer = (): unknown => undefined

  const failExchange = (message: string): OutboundError => {
    const error = new OutboundError('too-large', message)
    failed.reject(error)
    return error
  }
  const resumeStream = (eventId: string): void => {
    lastEventId = null
    resume(eventId).catch(failed.reject)
  }
  const onAllStreamsEnded = (): void => {
    if (lastEventId === null) {
      failed.reject(lastError ?? new OutboundError('network', 'The server ended its response before it was complete.'))
      return
    }
    const eventId = lastEventId
    cancelTimer = clock.after(RESUME_DELAY_MS, () => resumeStream(eventId))
  }

  return {
    options,
    signal: controller.signal,
    failed: failed.promise,
    countRequest() {
      requestCount++
      if (requestCount > MAX_REQUESTS) throw failExchange('The server caused too many requests for one response.')
    },
    countMessage() {
      messageCount++
      if (messageCount > MAX_MESSAGES) failExchange('The server sent too many messages in one response.')
    },
    onStreamOpened() {
      openStreams++
      cancelTimer()
    },
    onStreamEnded(error) {
      openStreams--
      lastError = error
      if (error instanceof OutboundError && error.reason === 'too-large') failed.reject(error)
      if (openStreams === 0 && !controller.signal.aborted)
        cancelTimer = clock.after(FINAL_EVENTS_WAIT_MS, onAllStreamsEnded)
    },
    setResumePoint(eventId) {
      lastEventId = eventId
    },
    end() {
      cancelTimer()
      controller.abort()
      failed.reject(new OutboundError('cancelled', 'The request was cancelled.'))
    },
  }
}
