import { EventSourceParserStream } from 'eventsource-parser/stream'
import { setTimer } from '../clock.ts'
import { Problem } from './problem.ts'
import { type AnyRequestParams, type OperationName, type RequestParams, send } from './request.ts'

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
  /** Reused on retries, so that the server processes the message only once. */
  readonly idempotencyKey?: string
}

/** Streams last as long as the call or chat. */
const STREAM_TIMEOUT_MS = 3_600_000

/** The server sends a heartbeat every 15 seconds. */
const IDLE_TIMEOUT_MS = 45_000

const createInterruptedProblem = (): Problem => new Problem('The connection was interrupted.', { code: 'offline' })

/** Yields events until the stream ends or `signal` is aborted. Throws a `Problem`. */
export async function* readEvents<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  { signal, lastEventId, idempotencyKey }: EventsOptions,
): AsyncGenerator<StreamEvent> {
  const response = await send(name, params as AnyRequestParams, {
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
    .pipeThrough(createIdleTimeout(IDLE_TIMEOUT_MS, createInterruptedProblem))
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : createInterruptedProblem()
      })
      // The next request reports why access ended, or prompts the user to sign in again.
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

/** Creates a stream that forwards bytes and fails after `timeoutMs` without data. A lost connection may never close. */
export function createIdleTimeout(timeoutMs: number, createProblem: () => Error): TransformStream<Bytes, Bytes> {
  let stopTimer = (): void => undefined
  const transformer: CancellableTransformer = {
    start: restartTimer,
    transform(bytes, controller) {
      stopTimer()
      controller.enqueue(bytes)
      restartTimer(controller)
    },
    flush: () => stopTimer(),
    cancel: () => stopTimer(),
  }
  return new TransformStream(transformer)

  function restartTimer(controller: TransformStreamDefaultController<Bytes>): void {
    stopTimer = setTimer(timeoutMs, () => controller.error(createProblem()))
  }
}
