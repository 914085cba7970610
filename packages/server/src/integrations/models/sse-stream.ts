import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Longest line or event that is accepted. Real deltas stay below a few KiB; 1 MiB leaves room for one whole tool call. */
const MAX_EVENT_CHARACTERS = 1024 * 1024
/** Lines of no known field that are ignored in one response; each costs as much as an event. */
const MAX_UNKNOWN_LINES = 1_000
/** Characters that are parsed before the caps are looked at again. */
const SLICE_CHARACTERS = 4_096

/** Turns the bytes of one response into server-sent events, however the network split them. */
export interface SseStream {
  /** Calls `onEvent` for every event that these bytes complete, before it returns. Returns false once the cap was exceeded. */
  push(bytes: Buffer): boolean
}

/** Comments, `retry:` and unknown fields are dropped. Characters that span two chunks are put together again. */
export function createSseStream(onEvent: (event: EventSourceMessage) => void): SseStream {
  const decoder = new StringDecoder('utf8')
  let overflowed = false
  let unknownLines = 0
  const parser = createParser({
    onEvent: (event) => {
      // The parser's own cap looks at what it holds back between chunks; an event that arrives whole passes it by.
      if (event.data.length > MAX_EVENT_CHARACTERS) overflowed = true
      else if (!overflowed) onEvent(event)
    },
    onError: (error) => {
      // An unknown field is no failure (the format asks to ignore it).
      unknownLines += 1
      if (error.type === 'max-buffer-size-exceeded' || unknownLines > MAX_UNKNOWN_LINES) overflowed = true
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  })
  return {
    push(bytes) {
      const text = decoder.write(bytes)
      for (let at = 0; at < text.length && !overflowed; at += SLICE_CHARACTERS) {
        parser.feed(text.slice(at, at + SLICE_CHARACTERS))
      }
      return !overflowed
    },
  }
}
