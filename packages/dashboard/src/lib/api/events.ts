import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type OperationName, type Parts, type SentParts, send } from './request.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** Where a stream that was cut goes on: after this. */
  readonly id: string | undefined
  readonly name: string
  readonly data: unknown
}

/** A stream lasts as long as what it tells of. */
const STREAM_TIMEOUT_MS = 3_600_000

/** Reads the events of an operation that streams, until it ends or `signal` is aborted. Throws a `Problem`. */
export async function* readEvents<Name extends OperationName>(
  name: Name,
  parts: Parts<Name>,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const response = await send(name, parts as SentParts, {
    signal,
    accept: 'text/event-stream',
    timeoutMs: STREAM_TIMEOUT_MS,
  })
  if (response.body === null) return
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield { id: value.id, name: value.event ?? 'message', data: JSON.parse(value.data) }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
