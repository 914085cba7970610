import { Dispatcher } from 'undici'
import type { WebSocket } from 'ws'
import { createSseStream } from '../../packages/server/src/integrations/models/sse-stream.ts'
import type { OpenGuardedSocket } from '../../packages/server/src/platform/outbound/guarded-socket.ts'
import { redactHeaders, redactMessage, redactUrl } from './redact.ts'
import type { WireLog } from './wire-log.ts'

/** An HTTP client that writes requests and responses to the log. */
export class RecordingDispatcher extends Dispatcher {
  readonly #inner: Dispatcher
  readonly #log: WireLog

  constructor(inner: Dispatcher, log: WireLog) {
    super()
    this.#inner = inner
    this.#log = log
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { method, origin = '', path, body, headers } = options
    const isMessage = typeof body === 'string' || body instanceof Uint8Array
    this.#log.write({
      kind: 'request',
      method,
      url: redactUrl(`${String(origin)}${path}`),
      headers: redactHeaders((headers ?? {}) as Readonly<Record<string, unknown>>),
      body: isMessage ? redactMessage(body) : '<stream>',
    })
    return this.#inner.dispatch(options, new RecordingHandler(handler, this.#log))
  }
}

class RecordingHandler implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler
  readonly #log: WireLog
  readonly #chunks: Buffer[] = []
  #sse: ReturnType<typeof createSseStream> | null = null
  #receivedBytes = 0
  #isText = false

  constructor(inner: Dispatcher.DispatchHandler, log: WireLog) {
    this.#inner = inner
    this.#log = log
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#inner.onRequestStart?.(controller, context as never)
  }

  onResponseStart(...[controller, status, headers, message]: ResponseStart): void {
    const contentType = String(headers['content-type'] ?? '')
    if (contentType.startsWith('text/event-stream')) {
      this.#sse = createSseStream(({ event, data }) =>
        this.#log.write({ kind: 'event', event: event ?? null, data: redactMessage(data) }),
      )
    }
    this.#isText = contentType.includes('json')
    this.#log.write({ kind: 'response', status, headers: redactHeaders(headers) })
    this.#inner.onResponseStart?.(controller, status, headers, message)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    this.#sse?.push(chunk)
    if (this.#isText) this.#chunks.push(Buffer.from(chunk))
    this.#inner.onResponseData?.(controller, chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: never): void {
    const body = this.#isText ? redactMessage(Buffer.concat(this.#chunks).toString('utf8')) : null
    this.#log.write({ kind: 'closed', bytes: this.#receivedBytes, body })
    this.#inner.onResponseEnd?.(controller, trailers)
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#log.write({ kind: 'failed', error: error.name, bytes: this.#receivedBytes })
    this.#inner.onResponseError?.(controller, error)
  }
}

type ResponseStart = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>

export interface RecordedSockets {
  /** Opens a socket whose messages are written to the log. */
  readonly openSocket: OpenGuardedSocket
  /** Closes all sockets immediately. */
  terminateAll(): void
}

/** Wraps a function that opens sockets. */
export function recordSockets(openSocket: OpenGuardedSocket, log: WireLog): RecordedSockets {
  const sockets = new Set<WebSocket>()
  let socketCount = 0
  return {
    async openSocket(request) {
      socketCount += 1
      const socketNumber = socketCount
      const headers = redactHeaders(request.headers ?? {})
      log.write({ kind: 'socket', socket: socketNumber, url: redactUrl(request.url), headers })
      const outcome = await openSocket(request)
      if (outcome.ok) {
        recordSocket(outcome.socket, socketNumber, log)
        sockets.add(outcome.socket)
        outcome.socket.once('close', () => sockets.delete(outcome.socket))
      } else log.write({ kind: 'failed', socket: socketNumber, reason: outcome.reason, status: outcome.status })
      return outcome
    },
    terminateAll() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

function recordSocket(socket: WebSocket, socketNumber: number, log: WireLog): void {
  const send = socket.send.bind(socket) as (...parameters: unknown[]) => void
  socket.send = (...parameters: unknown[]): void => {
    log.write({ kind: 'sent', socket: socketNumber, message: redactMessage(parameters[0] as string | Uint8Array) })
    send(...parameters)
  }
  socket.on('message', (data, isBinary) => {
    const message = redactMessage(isBinary ? (data as Buffer) : String(data))
    log.write({ kind: 'received', socket: socketNumber, message })
  })
  socket.once('close', (code) => log.write({ kind: 'closed', socket: socketNumber, code }))
}
