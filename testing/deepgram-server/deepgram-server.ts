import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@parley/engine/ports'
import { WebSocketServer } from 'ws'
import type { Recording } from '../speech-server/wav-audio.ts'
import { DeepgramConnection } from './deepgram-connection.ts'
import { type ListenBehavior, listenWithFlux, listenWithNova } from './listen-replies.ts'
import { RecordingLibrary } from './recording-library.ts'
import { findRequestProblem } from './request-rules.ts'
import { createSpeaker, type SpeakReply } from './speak-replies.ts'

/** Key that the server accepts. */
export const DEEPGRAM_KEY = 'dg-0123456789abcdef'

export interface DeepgramServerOptions {
  /** Clock for the time limit of connections that receive nothing. Without it, there is no limit. */
  readonly clock?: Clock
  /** Returns the words in any audio, which are also sent before the end of an utterance. Replaces recordings. */
  readonly recognize?: (recording: Recording) => string
}

/** A server on the loopback interface that speaks the protocols of Deepgram's streaming APIs. */
export interface DeepgramServer extends AsyncDisposable {
  /** `ws://127.0.0.1:<port>`, the base URL of clients. */
  readonly url: string
  readonly port: number
  /** Connections in the order in which they were opened. */
  readonly connections: readonly DeepgramConnection[]
  /** Statuses of refused handshakes. */
  readonly refusals: readonly number[]
  /** Refuses the next handshakes with these statuses. */
  refuse(...statuses: readonly number[]): void
  /** Sets the header `dg-error` of refused handshakes. */
  setRefusalReason(reason: string): void
  /** Teaches the server to transcribe a recording as a text. Without recordings, tests send all results themselves. */
  addRecording(recording: Recording, text: string): void
  /** Adds replies for the next texts to speak, in order. When none are left, the server speaks regularly. */
  scriptSpeech(...replies: readonly SpeakReply[]): void
  /** Resolves to a connection by its number, starting with 0. */
  connected(index: number): Promise<DeepgramConnection>
  /** Resolves when a condition is true. It is checked after every event. */
  until(condition: () => boolean): Promise<void>
}

/** Time without any message after which the vendor closes a connection. */
const INACTIVITY_MS = 10_000

/** Starts a server on a free loopback port. */
export async function startDeepgramServer({ clock, recognize }: DeepgramServerOptions = {}): Promise<DeepgramServer> {
  const connections: DeepgramConnection[] = []
  const refusals: number[] = []
  const pendingRefusals: number[] = []
  let refusalReason = 'Refused.'
  const speakReplies: SpeakReply[] = []
  const library = new RecordingLibrary(recognize)
  const watchers = new Set<() => void>()
  const notify = (): void => {
    for (const watcher of watchers) watcher()
  }
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return
        watchers.delete(check)
        resolve()
      }
      watchers.add(check)
      check()
    })
  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  http.on('upgrade', (request, socket, head) => {
    const isAuthorized = request.headers.authorization === `Token ${DEEPGRAM_KEY}`
    const status =
      pendingRefusals.shift() ??
      (isAuthorized ? findRequestProblem(new URL(request.url ?? '', 'http://127.0.0.1')) : 401)
    if (status !== null) {
      refusals.push(status)
      refuseHandshake(socket, status, refusalReason)
      notify()
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new DeepgramConnection(webSocket, request)
      const behavior = createBehavior(connection, library, () => speakReplies.shift() ?? { kind: 'normal' })
      connections.push(connection)
      const restartLimit = limitInactivity(connection, clock)
      webSocket.on('message', (data, isBinary) => {
        connection.record(data as Buffer, isBinary)
        restartLimit(isBinary)
        behavior(data as Buffer, isBinary)
        notify()
      })
      webSocket.on('close', notify)
      notify()
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    connections,
    refusals,
    refuse: (...statuses) => void pendingRefusals.push(...statuses),
    setRefusalReason: (reason) => {
      refusalReason = reason
    },
    addRecording: (recording, text) => library.add(recording, text),
    scriptSpeech: (...replies) => void speakReplies.push(...replies),
    async connected(index) {
      await until(() => connections.length > index)
      return connections[index] as DeepgramConnection
    },
    until,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate()
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

function refuseHandshake(socket: Duplex, status: number, reason: string): void {
  socket.end(
    `HTTP/1.1 ${status} No\r\nconnection: close\r\ncontent-length: 0\r\n` +
      `dg-error: ${reason}\r\ndg-request-id: 00000000-0000-4000-8000-000000000000\r\n\r\n`,
  )
}

function createBehavior(
  connection: DeepgramConnection,
  library: RecordingLibrary,
  nextReply: () => SpeakReply,
): ListenBehavior {
  if (connection.path.endsWith('/speak')) return createSpeaker(connection, nextReply)
  return connection.path === '/v1/listen' ? listenWithNova(connection, library) : listenWithFlux(connection, library)
}

/** Closes a transcription that receives nothing. Text counts only after the first audio. */
function limitInactivity(connection: DeepgramConnection, clock: Clock | undefined): (isBinary: boolean) => void {
  if (clock === undefined || connection.path.endsWith('/speak')) return () => {}
  let cancel = (): void => {}
  let hasAudio = false
  const restart = (): void => {
    cancel()
    cancel = clock.after(INACTIVITY_MS, () => connection.close(1011, 'NET-0001'))
  }
  restart()
  void connection.closed.then(() => cancel())
  return (isBinary) => {
    hasAudio ||= isBinary
    if (hasAudio && connection.isOpen) restart()
  }
}
