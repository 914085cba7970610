import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Limit of a line or event. Deltas have a few KiB at most, and 1 MiB is enough for a complete tool call. */
const MAX_EVENT_CHARACTERS = 1024 * 1024
/** Limit of ignored unknown lines per response, because each line costs as much as an event. */
const MAX_UNKNOWN_LINES = 1_000
/** Number of characters parsed between two limit checks. */
const SLICE_CHARACTERS = 4_096

/** Parses the bytes of one response into server-sent events, regardless of chunk boundaries. */
export interface SseStream {
  /** Calls `onEvent` synchronously for each completed event. Returns false once a limit was exceeded. */
  push(bytes: Buffer): boolean
}

/** Creates a parser that drops comments, `retry:` and unknown fields. Joins characters that are split across chunks. */
export function createSseStream(onEvent: (event: EventSourceMessage) => void): SseStream {
  const decoder = new StringDecoder('utf8')
  let isOverLimit = false
  let unknownLines = 0
  const parser = createParser({
    onEvent: (event) => {
      // The parser limits only text that is buffered between chunks, not an event that arrives in one chunk.
      if (event.data.length > MAX_EVENT_CHARACTERS) isOverLimit = true
      else if (!isOverLimit) onEvent(event)
    },
    onError: (error) => {
      // Unknown fields are ignored, as the format requires.
      unknownLines += 1
      if (error.type === 'max-buffer-size-exceeded' || unknownLines > MAX_UNKNOWN_LINES) isOverLimit = true
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  })
  return {
    push(bytes) {
      const text = decoder.write(bytes)
      for (let offset = 0; offset < text.length && !isOverLimit; offset += SLICE_CHARACTERS) {
        parser.feed(text.slice(offset, offset + SLICE_CHARACTERS))
      }
      return !isOverLimit
    },
  }
}
