import type { ServerResponse } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { AccessLoss } from '../kernel/access/actor-context.ts'
import type { EventStream, StreamFrame } from '../kernel/api/implement.ts'

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'

/** Comments keep proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000
/** Maximum time to delay the response head while waiting for a first event. */
const HEAD_DELAY_MS = 50
/** Time for a client that lost access to receive the events sent earlier. */
const CLOSE_TIMEOUT_MS = 1_000
/** A client with a larger backlog is disconnected and can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const ACCESS_ENDED_MESSAGES: Readonly<Record<AccessLoss, string>> = {
  unauthorized: 'The credential of this stream was revoked or has expired.',
  forbidden: 'The credential of this stream no longer has access to it.',
}

export interface EventStreamOptions {
  readonly headers: Record<string, string>
  readonly clock: Clock
  /** Calls `onLost` once if the client loses access. Returns the unsubscribe function. */
  readonly watchAccess: (onLost: (loss: AccessLoss) => void) => () => void
}

/**
 * Sends an event stream. The response head must not have been sent yet. If the client disconnects, the stream stops without an
 * error. Errors from `open` propagate if nothing has been sent.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one stream share its state.
export function sendEventStream(
  response: ServerResponse,
  stream: EventStream,
  { headers, clock, watchAccess }: EventStreamOptions,
): void {
  // The client disconnected while the handler ran, so no `close` event will stop the stream.
  if (response.destroyed || response.closed) return
  let closed = false
  let cancelTimer = (): void => {}
  let stopWatching = (): void => {}

  function write(text: string): void {
    if (closed) return
    // Checked before writing, because one large batch for an active client is not a backlog.
    if (response.writableLength > MAX_BUFFERED_BYTES) {
      finish()
      response.destroy()
      return
    }
    writeHead()
    response.write(text)
  }

  /** Sends only the head, so that clients know that the stream is open. */
  function flushHead(): void {
    writeHead()
    response.flushHeaders()
    cancelTimer = clock.after(HEARTBEAT_MS, sendHeartbeat)
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

  function sendHeartbeat(): void {
    write(': keep-alive\n\n')
    if (!closed) cancelTimer = clock.after(HEARTBEAT_MS, sendHeartbeat)
  }

  function finish(): void {
    closed = true
    cancelTimer()
    stopWatching()
  }

  /**
   * Ends the stream with an error event. The event has no `id`, so that a client resumes after the last regular event.
   */
  function endWithAccessError(loss: AccessLoss): void {
    if (closed) return
    finish()
    writeHead()
    const data = JSON.stringify({ code: loss, error: ACCESS_ENDED_MESSAGES[loss] })
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
        // Sends the last events and the end of the stream in one packet.
        response.end(frames.map(formatFrame).join(''))
      },
    })
  } catch (error) {
    finish()
    if (!response.headersSent) throw error
    response.destroy()
  }
  if (closed) return
  stopWatching = watchAccess(endWithAccessError)
  // An immediate event is sent with the head, which saves a packet.
  cancelTimer = clock.after(HEAD_DELAY_MS, flushHead)
}

/** Formats a server-sent event. Its JSON data contains no line breaks. */
function formatFrame(frame: StreamFrame): string {
  return `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.data}\n\n`
}
