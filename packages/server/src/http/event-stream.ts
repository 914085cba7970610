import type { ServerResponse } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { AccessLoss } from '../kernel/access/actor-context.ts'
import type { EventStream, StreamFrame } from '../kernel/api/implement.ts'

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'

/** Comments keep proxies from closing a quiet stream. */
const HEARTBEAT_MS = 15_000
/** How long the head waits for a first event. */
const HEAD_DELAY_MS = 50
/** Time for a reader without access to receive what was sent before. */
const CLOSE_TIMEOUT_MS = 1_000
/** A slower reader is disconnected; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const ACCESS_ENDED: Readonly<Record<AccessLoss, string>> = {
  unauthorized: 'The credential of this stream is revoked or expired.',
  forbidden: 'The credential of this stream no longer has access to it.',
}

export interface EventStreamOptions {
  readonly headers: Record<string, string>
  readonly clock: Clock
  /** Calls `onLost` once when the reader loses access; returns the unsubscribe function. */
  readonly watchAccess: (onLost: (loss: AccessLoss) => void) => () => void
}

/**
 * Sends an event stream on a response without a head. A disconnect only stops it. Errors of `open` propagate while
 * nothing is sent.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one stream share its state.
export function sendEventStream(
  response: ServerResponse,
  stream: EventStream,
  { headers, clock, watchAccess }: EventStreamOptions,
): void {
  // The reader disconnected while the handler ran, so no `close` event will stop the stream.
  if (response.destroyed || response.closed) return
  let closed = false
  let cancelTimer = (): void => {}
  let stopWatching = (): void => {}

  function write(text: string): void {
    if (closed) return
    // Checked before writing: one large batch for an active reader is no backlog.
    if (response.writableLength > MAX_BUFFERED_BYTES) {
      finish()
      response.destroy()
      return
    }
    writeHead()
    response.write(text)
  }

  /** Sends the head alone, so that clients know that the stream is open. */
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

  /** Without an `id`, so that a reader resumes after the last event of the stream. */
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
        // One packet for the last events and the end.
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
  // An immediate event is sent with the head, which saves a packet.
  cancelTimer = clock.after(HEAD_DELAY_MS, flushHead)
}

/** Formats a frame; JSON data has no line breaks. */
function formatFrame(frame: StreamFrame): string {
  return `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.data}\n\n`
}
