import type { ServerResponse } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { AccessLoss } from '../kernel/access/access-watch.ts'
import type { EventStream, StreamFrame } from '../kernel/api/implement.ts'

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'

/** A comment keeps proxies from closing a quiet stream. */
const HEARTBEAT_MS = 15_000
/** How long the head waits for a first event. */
const HEAD_DELAY_MS = 50
/** How long a reader without access may take for what was sent before. */
const CLOSE_TIMEOUT_MS = 1_000
/** A reader that lets this much pile up is cut off; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const ACCESS_ENDED: Readonly<Record<AccessLoss, string>> = {
  unauthorized: 'The credential of this stream is revoked or expired.',
  forbidden: 'The credential of this stream no longer has access to it.',
}

export interface EventStreamOptions {
  readonly headers: Record<string, string>
  readonly clock: Clock
  /** Calls `onLost` once when the reader loses access; the returned function ends that. */
  readonly watchAccess: (onLost: (loss: AccessLoss) => void) => () => void
}

/**
 * Sends an event stream over a raw response whose head is not written yet. A reader that leaves only stops the sending.
 * Throws what `open` throws as long as nothing was sent, so that it can still be answered as an error.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one stream share its state.
export function sendEventStream(
  response: ServerResponse,
  stream: EventStream,
  { headers, clock, watchAccess }: EventStreamOptions,
): void {
  // A reader that left while the handler worked: its `close` is over and nothing would ever stop the stream.
  if (response.destroyed || response.closed) return
  let closed = false
  let cancelTimer = (): void => {}
  let stopWatching = (): void => {}

  function write(text: string): void {
    if (closed) return
    // Before writing: one large batch for a quick reader is no backlog.
    if (response.writableLength > MAX_BUFFERED_BYTES) {
      finish()
      response.destroy()
      return
    }
    writeHead()
    response.write(text)
  }

  /** The head alone: a client must not wait for the first event to learn that the stream is open. */
  function flushHead(): void {
    writeHead()
    response.flushHeaders()
    cancelTimer = clock.after(HEARTBEAT_MS, beat)
  }

  function writeHead(): void {
    if (response.headersSent) return
    response.writeHead(200, {
      ...headers,
      'content-type': EVENT_STREAM_TYPE,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
  }

  function beat(): void {
    write(': keep-alive\n\n')
    if (!closed) cancelTimer = clock.after(HEARTBEAT_MS, beat)
  }

  function finish(): void {
    closed = true
    cancelTimer()
    stopWatching()
  }

  /** Without an `id`: a reader that regains access resumes after the last event of the stream. */
  function endAccess(loss: AccessLoss): void {
    if (closed) return
    finish()
    writeHead()
    const data = JSON.stringify({ code: loss, error: ACCESS_ENDED[loss] })
    response.end(`event: access-ended\ndata: ${data}\n\n`)
    const cancelDestroy = clock.after(CLOSE_TIMEOUT_MS, () => response.destroy())
    response.on('close', cancelDestroy)
  }

  let stop = (): void => {}
  response.on('close', () => {
    finish()
    stop()
  })
  try {
    stop = stream.open({
      send(frames) {
        if (frames.length > 0) write(frames.map(formatFrame).join(''))
      },
      end(frames = []) {
        if (closed) return
        finish()
        writeHead()
        // The last events and the end of the answer leave in one packet.
        response.end(frames.map(formatFrame).join(''))
      },
    })
  } catch (error) {
    finish()
    if (!response.headersSent) throw error
    response.destroy()
  }
  if (closed) return
  stopWatching = watchAccess(endAccess)
  // An event that comes at once takes the head along, which saves a packet.
  cancelTimer = clock.after(HEAD_DELAY_MS, flushHead)
}

/** One frame of the wire format; the data is JSON and so holds no line break. */
function formatFrame(frame: StreamFrame): string {
  return `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.data}\n\n`
}
