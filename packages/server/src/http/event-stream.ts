import type { ServerResponse } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { EventStream, StreamFrame } from './implement.ts'

/** A comment keeps proxies from closing a quiet stream. */
const HEARTBEAT_MS = 15_000
/** A reader that lets this much pile up is cut off; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

/** Sends an event stream over a raw response whose head is not written yet. A reader that leaves only stops the sending. */
export function sendEventStream(
  response: ServerResponse,
  stream: EventStream,
  headers: Record<string, string>,
  clock: Clock,
): void {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  let closed = false
  let quiet = true
  let cancelHeartbeat = clock.after(HEARTBEAT_MS, beat)

  function beat(): void {
    if (quiet) response.write(': keep-alive\n\n')
    quiet = true
    cancelHeartbeat = clock.after(HEARTBEAT_MS, beat)
  }

  function finish(): void {
    closed = true
    cancelHeartbeat()
  }

  const stop = stream.open({
    send(frames) {
      if (closed || frames.length === 0) return
      quiet = false
      response.write(frames.map(formatFrame).join(''))
      if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
    },
    end() {
      if (closed) return
      finish()
      response.end()
    },
  })
  response.on('close', () => {
    finish()
    stop()
  })
}

/** One frame of the wire format; the data is JSON and so holds no line break. */
export function formatFrame(frame: StreamFrame): string {
  return `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.data}\n\n`
}
