import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type LlmAction, playAction } from './llm-action.ts'

/** A received frame. */
export interface ReceivedFrame {
  readonly interaction_type: string
  readonly response_id?: number
  readonly [key: string]: unknown
}

/** One connection to the server. */
export interface LlmConnection {
  /** Path and query of the handshake. */
  readonly path: string
  readonly frames: readonly ReceivedFrame[]
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  /** Performs actions immediately, for the latest request. */
  play(...moves: readonly LlmAction[]): void
}

/** A customer's language model on the loopback interface, which responds from a script. */
export interface CustomLlmServer {
  /** `ws://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Connections in the order in which they were opened. */
  readonly connections: readonly LlmConnection[]
  /** Actions at the start of each connection. Empty unless set. */
  greeting: readonly LlmAction[]
  /** Status with which handshakes are rejected; 0 accepts them. */
  refuseStatus: number
  /** Whether pings are answered. Defaults to true. */
  answersPings: boolean
  /** Adds actions for the next requests, one list per request. When no list is left, the server does not respond. */
  script(...answers: readonly (readonly LlmAction[])[]): void
  /** Returns all frames of a type, over all connections, in order of arrival. */
  getFrames(type: string): readonly ReceivedFrame[]
  /** Resolves when a total of `count` frames of a type have arrived. */
  received(count: number, type?: string): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Watcher {
  readonly count: number
  readonly type: string
  readonly resolve: () => void
}

/** Starts a server on a free loopback port. */
export async function startCustomLlmServer(): Promise<CustomLlmServer> {
  const connections: LlmConnection[] = []
  const frames: ReceivedFrame[] = []
  const scriptedReplies: (readonly LlmAction[])[] = []
  const watchers = new Set<Watcher>()
  const getFrames = (type: string): ReceivedFrame[] => frames.filter((frame) => frame.interaction_type === type)
  const settings = { greeting: [] as readonly LlmAction[], refuseStatus: 0, answersPings: true }

  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const connectionFrames: ReceivedFrame[] = []
    const closed = Promise.withResolvers<number>()
    let responseId = 0
    const playActions = (...actions: readonly LlmAction[]): void => {
      for (const action of actions) playAction(socket, action, responseId)
    }
    connections.push({ path: request.url ?? '', frames: connectionFrames, closed: closed.promise, play: playActions })
    socket.on('message', (data) => {
      const frame: ReceivedFrame = JSON.parse(String(data))
      connectionFrames.push(frame)
      frames.push(frame)
      if (frame.interaction_type === 'ping_pong' && settings.answersPings) {
        playActions({ kind: 'frame', frame: { response_type: 'ping_pong', timestamp: frame.timestamp } })
      }
      if (frame.interaction_type === 'response_required' || frame.interaction_type === 'reminder_required') {
        responseId = frame.response_id ?? 0
        playActions(...(scriptedReplies.shift() ?? []))
      }
      for (const watcher of watchers) {
        if (getFrames(watcher.type).length < watcher.count) continue
        watchers.delete(watcher)
        watcher.resolve()
      }
    })
    socket.on('close', (code) => closed.resolve(code))
    socket.on('error', () => {})
    playActions(...settings.greeting)
  }

  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  http.on('upgrade', (request, socket, head) => {
    if (settings.refuseStatus === 0) sockets.handleUpgrade(request, socket, head, accept)
    else socket.end(`HTTP/1.1 ${settings.refuseStatus} No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets.clients) socket.terminate()
      http.close(() => resolve())
      http.closeAllConnections()
    })
  return Object.assign(settings, {
    url: `ws://127.0.0.1:${port}`,
    port,
    connections,
    script: (...replies: readonly (readonly LlmAction[])[]) => {
      scriptedReplies.push(...replies)
    },
    getFrames,
    received: (count: number, type = 'response_required') =>
      new Promise<void>((resolve) => {
        if (getFrames(type).length >= count) resolve()
        else watchers.add({ count, type, resolve })
      }),
    close,
    [Symbol.asyncDispose]: close,
  })
}
