import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CartesiaHandshake, CartesiaReply, CartesiaRequest, CartesiaServerOptions } from './cartesia-reply.ts'
import { CartesiaSession } from './cartesia-session.ts'

/** A speech service on the loopback interface with the wire format of Cartesia's socket for synthesis. */
export interface CartesiaServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; clients also use it as the base URL of sockets. */
  readonly baseUrl: string
  readonly port: number
  /** Received messages in order of arrival, including cancellations. */
  readonly requests: readonly CartesiaRequest[]
  /** Total number of opened sockets. */
  readonly socketCount: number
  /** Sockets in the order of opening. */
  readonly connections: readonly CartesiaConnection[]
  /** Adds replies for the next requests, in order. When none are left, the server responds regularly. */
  script(...replies: readonly CartesiaReply[]): void
  /** Adds responses to the next handshakes, in order. */
  scriptHandshakes(...handshakes: readonly CartesiaHandshake[]): void
  /** Resolves when `count` messages have arrived. */
  received(count: number): Promise<void>
  /** Resolves when `count` handshakes have arrived. */
  handshakesReceived(count: number): Promise<void>
  /** Resolves when this number of sockets is open. */
  socketsOpen(count: number): Promise<void>
  /** Resolves when all sockets are closed. */
  allClosed(): Promise<void>
  /** Closes all sockets like the service does after 5 minutes without requests. */
  closeIdleSockets(): void
  close(): Promise<void>
}

/** A client's socket. */
export interface CartesiaConnection {
  readonly isOpen: boolean
  /** Sends a message unchanged. */
  send(data: string | Buffer): void
  close(code: number): void
  /** Breaks the connection without a close frame. */
  drop(): void
}

const PATH = '/tts/websocket'
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Oldest version in which errors and voices have the format of this server. */
const OLDEST_VERSION = '2026-01-01'

/** Starts a server on a free loopback port. */
export async function startCartesiaServer(options: CartesiaServerOptions = {}): Promise<CartesiaServer> {
  const requests: CartesiaRequest[] = []
  const replies: CartesiaReply[] = []
  const handshakes: CartesiaHandshake[] = []
  const sockets = new Set<WebSocket>()
  const connections: CartesiaConnection[] = []
  const watchers = new Set<() => void>()
  let socketCount = 0
  let handshakeCount = 0

  function notifyWatchers(): void {
    for (const watcher of watchers) watcher()
  }

  function waitUntil(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        watchers.delete(check)
        resolve()
      }
      watchers.add(check)
      check()
    })
  }

  const upgrader = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })
  upgrader.on('connection', (socket) => {
    const socketIndex = socketCount
    socketCount += 1
    sockets.add(socket)
    connections.push({
      get isOpen() {
        return sockets.has(socket)
      },
      send: (data) => socket.send(data),
      close: (code) => socket.close(code),
      drop: () => socket.terminate(),
    })
    const session = new CartesiaSession(socket, {
      maxContexts: options.maxContexts ?? Number.POSITIVE_INFINITY,
      takeReply: (request) =>
        replies.shift() ?? options.replyTo?.({ socketIndex, fields: request }) ?? { kind: 'normal' },
    })
    socket.on('message', (data) => {
      const fields = JSON.parse(String(data)) as CartesiaRequest['fields']
      requests.push({ socketIndex, fields })
      session.receive(fields)
      notifyWatchers()
    })
    socket.once('close', () => {
      sockets.delete(socket)
      notifyWatchers()
    })
    // A socket error is followed by its end.
    socket.on('error', () => undefined)
  })

  const server = createServer((_, response) => response.writeHead(404).end())
  server.on('upgrade', (incoming, stream, head) => {
    const scripted = handshakes.shift()
    handshakeCount += 1
    notifyWatchers()
    if (scripted === 'hang') return
    const status = scripted?.status ?? findHandshakeStatus(incoming, options.apiKey)
    if (status === null) upgrader.handleUpgrade(incoming, stream, head, (socket) => upgrader.emit('connection', socket))
    else rejectHandshake(stream, status)
  })
  const streams = new Set<Duplex>()
  server.on('connection', (stream) => {
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const stream of streams) stream.destroy()
    })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections,
    get socketCount() {
      return socketCount
    },
    script: (...newReplies) => void replies.push(...newReplies),
    scriptHandshakes: (...newHandshakes) => void handshakes.push(...newHandshakes),
    received: (count) => waitUntil(() => requests.length >= count),
    handshakesReceived: (count) => waitUntil(() => handshakeCount >= count),
    socketsOpen: (count) => waitUntil(() => sockets.size === count),
    allClosed: () => waitUntil(() => sockets.size === 0),
    closeIdleSockets() {
      for (const socket of sockets) socket.close(1000, 'connection idle timeout')
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Returns the status of a rejected handshake, or null if it is accepted. */
function findHandshakeStatus({ url = '', headers }: IncomingMessage, apiKey: string | undefined): number | null {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  if (pathname !== PATH) return 404
  const version = headers['cartesia-version'] ?? searchParams.get('cartesia_version') ?? ''
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(version)) || String(version) < OLDEST_VERSION) return 400
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  return key === undefined || (apiKey !== undefined && key !== apiKey) ? 401 : null
}

function rejectHandshake(stream: Duplex, status: number): void {
  stream.end(`HTTP/1.1 ${status} Rejected\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
