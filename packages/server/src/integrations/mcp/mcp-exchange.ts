import type { Clock } from '@parley/engine/ports'
import { OutboundError } from '../../platform/outbound/guarded-agent.ts'

/** Byte budget of all answers of one operation. */
export interface ByteBudget {
  remainingBytes: number
}

export interface ExchangeOptions {
  readonly clock: Clock
  readonly budget: ByteBudget
  readonly timeoutMs: number
  /** Resumes the stream after the event of this id, in the same exchange. */
  readonly resume: (lastEventId: string) => Promise<void>
}

/** One request to a server with its response streams and the replies to requests of the server. */
export interface Exchange {
  readonly options: ExchangeOptions
  /** Aborts when the exchange ends, so that no stream outlives it. */
  readonly signal: AbortSignal
  /** Rejects when no answer can arrive anymore. */
  readonly broken: Promise<never>
  /** Counts a request; breaks the exchange and throws above the limit. */
  countRequest(): void
  /** Counts a message; breaks the exchange above the limit. */
  countMessage(): void
  streamOpened(): void
  /** `error`: why the stream broke; `null` when the server ended it. */
  streamEnded(error: unknown): void
  /** The stream can be resumed after this event. */
  resumableFrom(lastEventId: string): void
  /** Ends the exchange; a missing answer is no longer awaited. */
  end(): void
}

/** Limit of requests per answer, such as replies to pings and resumed streams. */
const MAX_REQUESTS = 1000
/** Limit of messages, since parsing many small ones is expensive. */
const MAX_MESSAGES = 5000
/** The last events may still be in the parser when a stream ends. */
const FINAL_EVENTS_WAIT_MS = 250
/** Delay before a stream is resumed; the server's own delay is ignored. */
const RESUME_DELAY_MS = 1000

/** Starts an exchange; call `end` after its answer or when it is no longer needed. */
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
