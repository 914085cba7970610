import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ScribeReply, serveScribe } from './scribe-protocol.ts'
import { type SpeechReply, SpeechSession } from './speech-protocol.ts'
import { createConnection, type VendorConnection } from './vendor-connection.ts'

type JsonFields = Readonly<Record<string, unknown>>

export interface ElevenLabsServerOptions {
  /** Accepted API key; other keys are rejected with 401. If absent, every key is accepted. */
  readonly apiKey?: string
  /** Returns the transcript of a committed recording. */
  readonly recognize?: (samples: Int16Array) => string
  /** Whether Scribe sends the words before a commit, too. */
  readonly sendsInterims?: boolean
}

/** ElevenLabs' speech sockets on the loopback interface: `multi-stream-input`, `stream-input` and Scribe. */
export interface ElevenLabsServer extends AsyncDisposable {
  /** `ws://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  readonly connections: readonly VendorConnection[]
  /** Violations of the protocol by clients. */
  readonly problems: readonly string[]
  /** Status with which handshakes are rejected, by path ending. */
  readonly refusedPaths: Map<string, number>
  /** Whether Scribe sessions start with `session_started`. Defaults to true. */
  startsSessions: boolean
  /** Adds replies for the next texts, in order. When none is left, texts are spoken. */
  scriptSpeech(...replies: readonly SpeechReply[]): void
  /** Adds replies for the next commits, in order. When none is left, the recording is transcribed. */
  scriptScribe(...replies: readonly ScribeReply[]): void
  /** Speaks the texts that a `hold` reply held back. */
  releaseHeld(): void
  /** Ends all contexts as if they had been inactive for too long. */
  expireContexts(): void
  /** Resolves when `isMatch` is true after a connection, a message or a close. */
  waitFor(isMatch: () => boolean): Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free loopback port. */
export async function startElevenLabsServer(options: ElevenLabsServerOptions = {}): Promise<ElevenLabsServer> {
  const connections: VendorConnection[] = []
  const speechSessions = new Set<SpeechSession>()
  const speechReplies: SpeechReply[] = []
  const scribeReplies: ScribeReply[] = []
  const problems: string[] = []
  const refusedPaths = new Map<string, number>()
  const settings = { startsSessions: true }
  const watchers = new Set<() => void>()
  const notifyWatchers = (): void => {
    for (const watcher of watchers) watcher()
  }

  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'ws://localhost')
    const { connection, messages } = createConnection(socket, { path: pathname, query: searchParams, request })
    connections.push(connection)
    const handleMessage = createProtocol(connection)
    socket.on('message', (data) => {
      const message: JsonFields = JSON.parse(String(data))
      messages.push(message)
      handleMessage(message)
      notifyWatchers()
    })
    socket.on('close', () => setImmediate(notifyWatchers))
    notifyWatchers()
  }

  const createProtocol = (connection: VendorConnection): ((message: JsonFields) => void) => {
    if (connection.path.endsWith('/speech-to-text/realtime')) {
      return serveScribe(connection, {
        startsSession: settings.startsSessions,
        recognize: options.recognize ?? (() => ''),
        sendsInterims: options.sendsInterims === true,
        nextReply: () => scribeReplies.shift() ?? { kind: 'transcript' },
      })
    }
    const session = new SpeechSession(connection, {
      nextReply: () => speechReplies.shift() ?? { kind: 'speak' },
      onProblem: (problem) => problems.push(problem),
    })
    speechSessions.add(session)
    return (message) => session.handleMessage(message)
  }

  const findRefusal = ({ url = '', headers }: IncomingMessage): number | null => {
    const { pathname } = new URL(url, 'ws://localhost')
    if (options.apiKey !== undefined && headers['xi-api-key'] !== options.apiKey) return 401
    for (const [ending, status] of refusedPaths) if (pathname.endsWith(ending)) return status
    return /\/(?:multi-stream-input|stream-input|realtime)$/.test(pathname) ? null : 404
  }

  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  http.on('upgrade', (request, socket, head) => {
    const status = findRefusal(request)
    if (status === null) sockets.handleUpgrade(request, socket, head, accept)
    else socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
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
    problems,
    refusedPaths,
    scriptSpeech: (...replies: readonly SpeechReply[]) => void speechReplies.push(...replies),
    scriptScribe: (...replies: readonly ScribeReply[]) => void scribeReplies.push(...replies),
    releaseHeld: () => {
      for (const session of speechSessions) session.releaseHeld()
    },
    expireContexts: () => {
      for (const session of speechSessions) session.expireContexts()
    },
    waitFor: (isMatch: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (!isMatch()) return
          watchers.delete(check)
          resolve()
        }
        watchers.add(check)
        check()
      }),
    close,
    [Symbol.asyncDispose]: close,
  })
}
