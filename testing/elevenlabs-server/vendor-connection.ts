import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'

type JsonFields = Readonly<Record<string, unknown>>

/** One connection to the server. */
export interface VendorConnection {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Received messages, in order. */
  readonly messages: readonly JsonFields[]
  readonly isOpen: boolean
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  sendJson(message: JsonFields): void
  send(data: string | Buffer): void
  close(code: number): void
  /** Sends nothing from now on, like a vendor whose network has failed. */
  mute(): void
  /** Breaks the connection without a close frame. */
  drop(): void
  /** Closes the server's side of the connection without a close frame. */
  halfClose(): void
}

/** Wraps a socket. The caller adds received messages to `messages`. */
export function createConnection(
  socket: WebSocket,
  {
    path,
    query,
    request,
  }: { readonly path: string; readonly query: URLSearchParams; readonly request: IncomingMessage },
): { readonly connection: VendorConnection; readonly messages: JsonFields[] } {
  const messages: JsonFields[] = []
  const closed = Promise.withResolvers<number>()
  socket.on('close', (code) => closed.resolve(code))
  socket.on('error', () => {})
  let isMuted = false
  const connection: VendorConnection = {
    path,
    query,
    headers: request.headers,
    messages,
    get isOpen() {
      return socket.readyState === socket.OPEN
    },
    closed: closed.promise,
    mute() {
      isMuted = true
    },
    sendJson(message) {
      if (!isMuted) socket.send(JSON.stringify(message))
    },
    send: (data) => socket.send(data),
    close: (code) => socket.close(code),
    drop: () => socket.terminate(),
    halfClose: () => request.socket.end(),
  }
  return { connection, messages }
}
