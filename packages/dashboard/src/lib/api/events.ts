import { EventSourceParserStream } from 'eventsource-parser/stream'
import { setTimer } from '../clock.ts'
import { Problem } from './problem.ts'
import { type AnyRequestParts, type OperationName, type RequestParts, send } from './request.ts'

export interface StreamEvent {
  /** Event ID from which an interrupted stream resumes. */
  readonly id: string | undefined
  readonly name: string
  readonly data: unknown
}

export interface EventsOptions {
  readonly signal: AbortSignal
  /** Requests only events after this event. */
  readonly lastEventId?: string
  /** Identical for all attempts to send a message, so that the server processes the message once. */
  readonly idempotencyKey?: string
}

/** Streams last as long as the call or chat. */
const STREAM_TIMEOUT_MS = 3_600_000

/** The server sends a heartbeat every 15 seconds. */
const MAX_SILENCE_MS = 45_000

const createInterruptedProblem = (): Problem => new Problem('The connection was interrupted.', { code: 'offline' })

/** Yields events until the stream ends or `signal` is aborted. Throws a `Problem`. */
export async function* readEvents<Name extends OperationName>(
  name: Name,
  parts: RequestParts<Name>,
  { signal, lastEventId, idempotencyKey }: EventsOptions,
): AsyncGenerator<StreamEvent> {
  const response = await send(name, parts as AnyRequestParts, {
    signal,
    accept: 'text/event-stream',
    timeoutMs: STREAM_TIMEOUT_MS,
    headers: {
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
  })
  if (response.body === null) return
  const events = response.body
    .pipeThrough(createSilenceTimeout(MAX_SILENCE_MS, createInterruptedProblem))
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : createInterruptedProblem()
      })
      // The next request reports the reason, or asks the user to sign in again.
      if (done || value.event === 'access-ended') return
      yield { id: value.id, name: value.event ?? 'message', data: JSON.parse(value.data) }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/** Adds `cancel`, which TypeScript's `Transformer` type lacks. */
interface CancellableTransformer extends Transformer<Bytes, Bytes> {
  cancel(): void
}

/** Forwards bytes. Fails after `limitMs` without data, because a lost connection can stay silent. */
export function createSilenceTimeout(limitMs: number, createProblem: () => Error): TransformStream<Bytes, Bytes> {
  let stopWaiting = (): void => undefined
  const transformer: CancellableTransformer = {
    start: restartTimer,
    transform(bytes, controller) {
      stopWaiting()
      controller.enqueue(bytes)
      restartTimer(controller)
    },
    flush: () => stopWaiting(),
    cancel: () => stopWaiting(),
  }
  return new TransformStream(transformer)

  function restartTimer(controller: TransformStreamDefaultController<Bytes>): void {
    stopWaiting = setTimer(limitMs, () => controller.error(createProblem()))
  }
}
