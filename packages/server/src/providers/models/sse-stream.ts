import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Longest line or event that is accepted. Real deltas stay below a few KiB; 1 MiB leaves room for one whole tool call. */
const MAX_EVENT_CHARACTERS = 1024 * 1024

/** Turns the bytes of one response into server-sent events, however the network split them. */
export interface SseStream {
  /** Calls `onEvent` for every event that these bytes complete, before it returns. Returns false once the cap was exceeded. */
  push(bytes: Buffer): boolean
}

/** Comments, `retry:` and unknown fields are dropped. Characters that span two chunks are put together again. */
export function createSseStream(onEvent: (event: EventSourceMessage) => void): SseStream {
  const decoder = new StringDecoder('utf8')
  let overflowed = false
  const parser = createParser({
    onEvent: (event) => {
      // The parser's own cap looks at what it holds back between chunks; an event that arrives whole passes it by.
      if (event.data.length > MAX_EVENT_CHARACTERS) overflowed = true
      else if (!overflowed) onEvent(event)
    },
    onError: (error) => {
      // An unknown field is no failure (the format asks to ignore it).
      if (error.type === 'max-buffer-size-exceeded') overflowed = true
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  })
  return {
    push(bytes) {
      if (!overflowed) parser.feed(decoder.write(bytes))
      return !overflowed
    },
  }
}
