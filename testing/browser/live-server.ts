import type { AddressInfo } from 'node:net'
import { ClientMessage, countsAsReceived, LIVE_PATH, LIVE_PROTOCOL, type ServerMessage } from '@parley/contract/live'
import { type WebSocket, WebSocketServer } from 'ws'
import { registerCallPage } from '../../packages/server/src/http/call-page.ts'
import { createMetrics } from '../../packages/server/src/http/metrics.ts'
import { createHttpServer } from '../../packages/server/src/http/server.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { decodeAudioMessage, encodeAudioMessage } from '../call-audio.ts'

/** A browser connection from the server's perspective. */
export interface LiveConnection {
  readonly messages: readonly ClientMessage[]
  /** Protocol violations of the browser. */
  readonly faults: readonly string[]
  readonly frames: readonly { readonly atMs: number; readonly startSample: number; readonly samples: Int16Array }[]
  readonly isOpen: boolean
  send(message: ServerMessage): void
  /** Responds to the first message as a server would. */
  sendJoined(details?: Partial<Extract<ServerMessage, { type: 'joined' }>>): void
  /** Sends audio in frames of 20 ms, all at once. */
  play(startSample: number, samples: Int16Array, rateHz: number): void
  /** Breaks the connection like a network failure. */
  disconnect(): void
  /** Silently drops all further messages from the browser. */
  dropIncoming(): void
}

/** Serves the call page and the client, and acts as the server side of the live protocol for one call. */
export interface LiveServer extends AsyncDisposable {
  readonly url: string
  readonly connections: readonly LiveConnection[]
  /** Number of rejected connections. */
  readonly rejectedConnections: number
  /** Whether new connections are accepted. If false, the network appears to be down. */
  isReachable: boolean
}

const FRAME_MS = 20

/** Starts a server on a free port. `/blank` is an empty page with the policy of the call page. */
export async function startLiveServer(): Promise<LiveServer> {
  let idCount = 0
  const fastify = createHttpServer({
    clock: systemClock,
    makeId: (prefix) => `${prefix}_${++idCount}`,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
    trustProxy: false,
  })
  registerCallPage(fastify)
  fastify.get('/blank', async (_request, reply) => {
    reply.header('content-security-policy', "default-src 'self'").header('content-type', 'text/html; charset=utf-8')
    return await reply.send('<!doctype html><html lang="en"><link rel="icon" href="/favicon.ico"><title>Blank</title>')
  })
  fastify.get('/favicon.ico', async (_request, reply) => await reply.status(204).send())
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const connections: LiveConnection[] = []
  const call = { received: 0 }
  const server = {
    url: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`,
    connections,
    rejectedConnections: 0,
    isReachable: true,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      await fastify.close()
    },
  }
  fastify.server.on('upgrade', (request, socket, head) => {
    if (!server.isReachable || request.url !== LIVE_PATH) {
      server.rejectedConnections += 1
      socket.destroy()
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => connections.push(createConnection(opened, call)))
  })
  return server
}

function createConnection(socket: WebSocket, call: { received: number }): LiveConnection {
  const messages: ClientMessage[] = []
  const faults: string[] = []
  const frames: { atMs: number; startSample: number; samples: Int16Array }[] = []
  const send = (message: ServerMessage): void => socket.send(JSON.stringify(message))
  let dropsIncoming = false
  socket.binaryType = 'nodebuffer'
  socket.on('message', (data, isBinary) => {
    if (dropsIncoming) return
    if (isBinary) {
      frames.push({ atMs: performance.now(), ...decodeAudioMessage(data as Buffer) })
      return
    }
    const parsed = ClientMessage.safeParse(JSON.parse(data.toString()))
    if (!parsed.success) {
      faults.push(data.toString())
      return
    }
    messages.push(parsed.data)
    if (countsAsReceived(parsed.data)) call.received += 1
    if (parsed.data.type === 'ping') send({ type: 'pong', id: parsed.data.id, received: call.received })
  })
  return {
    messages,
    faults,
    frames,
    get isOpen() {
      return socket.readyState === socket.OPEN
    },
    send,
    sendJoined(details = {}) {
      const [first] = messages
      send({
        type: 'joined',
        protocol: LIVE_PROTOCOL,
        callId: 'call_1',
        agentName: 'Ada',
        language: 'en-US',
        rateHz: first?.type === 'join' ? first.rateHz : 16_000,
        resumeToken: 'resume_1',
        recognition: 'server',
        standIns: [],
        listening: false,
        elapsedMs: 0,
        received: call.received,
        ...details,
      })
    },
    play(startSample, samples, rateHz) {
      const length = (rateHz * FRAME_MS) / 1_000
      for (let offset = 0; offset < samples.length; offset += length) {
        socket.send(encodeAudioMessage(startSample + offset, samples.subarray(offset, offset + length)))
      }
    },
    disconnect: () => socket.terminate(),
    dropIncoming() {
      dropsIncoming = true
    },
  }
}
