import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_STATUS, type ErrorCode } from '@parley/contract/errors'
import type { Clock } from '@parley/engine/ports'
import type { WebSocket, WebSocketServer } from 'ws'
import { type BucketSettings, createTokenBuckets, networkOf } from '../../kernel/security/rate-limits.ts'

/** A WebSocket that came over a route. */
export interface AcceptedConnection {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  /** What the segments in braces of the path hold. */
  readonly parameters: Readonly<Record<string, string>>
  /** To be called once the other side has authenticated or was refused: until then it counts as unauthenticated. */
  settle(): void
}

export interface UpgradeLimits {
  /** No message may be larger. */
  readonly maxPayloadBytes: number
  /** Connections that one network may open. */
  readonly attempts: BucketSettings
  readonly maxUnauthenticated: number
}

/** Who takes the WebSockets of some paths. */
export interface UpgradeRoute {
  /** A segment in braces takes any text: `/streams/{token}`. */
  readonly paths: readonly string[]
  readonly limits: UpgradeLimits
  accept(connection: AcceptedConnection): void
  /** Lets nobody in any more; resolves when nothing is left. */
  drain(): Promise<void>
  /** Ends what is left. */
  terminate(): void
}

export interface UpgradeTableOptions {
  /** Of the HTTP interface: WebSockets share its port. */
  readonly server: Server
  readonly routes: readonly UpgradeRoute[]
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Where a request comes from, as far as trusted proxies tell. */
  readonly addressOf: (request: IncomingMessage) => string
}

/** Leads requests for WebSockets to who takes them. */
export interface UpgradeTable {
  /** Refuses everybody from now on and waits until nothing is left, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>
  /** Cuts off what is left. Has to be over before the server is closed: that waits for these connections. */
  close(): Promise<void>
}

/** For connections to close once they were cut off. */
const CLOSE_TIMEOUT_MS = 1_000

export function createUpgradeTable(options: UpgradeTableOptions): UpgradeTable {
  const { server, clock, logError } = options
  const entries = options.routes.map((route) => new RouteEntry(route, clock))
  let isStopping = false

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const path = request.url?.split('?', 1)[0] ?? ''
    for (const entry of entries) {
      const parameters = entry.match(path)
      if (parameters === null) continue
      const refusal = entry.refusalFor(networkOf(options.addressOf(request)), isStopping)
      if (refusal !== null) {
        refuseUpgrade(socket, refusal)
        return
      }
      entry.upgrade({ request, socket, head, parameters }).catch((error: unknown) => {
        logError('open a WebSocket', error)
        socket.destroy()
      })
      return
    }
    refuseUpgrade(socket, { code: 'not_found', message: 'Nothing speaks another protocol at this path.' })
  }

  server.on('upgrade', onUpgrade)
  return {
    async drain(deadlineMs) {
      isStopping = true
      const drained = Promise.all(entries.map(({ route }) => route.drain()))
      if (deadlineMs <= 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(deadlineMs, resolve)
      await Promise.race([drained, promise])
      cancel()
    },
    async close() {
      isStopping = true
      for (const { route } of entries) route.terminate()
      await Promise.all(entries.map((entry) => entry.close()))
      server.off('upgrade', onUpgrade)
    },
  }
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly parameters: Readonly<Record<string, string>>
}

class RouteEntry {
  readonly route: UpgradeRoute
  readonly #clock: Clock
  readonly #takeConnectionAttempt: ReturnType<typeof createTokenBuckets>
  readonly #patterns: readonly (readonly string[])[]
  readonly #unauthenticated = new Set<WebSocket>()
  #sockets: Promise<WebSocketServer> | null = null

  constructor(route: UpgradeRoute, clock: Clock) {
    this.route = route
    this.#clock = clock
    this.#takeConnectionAttempt = createTokenBuckets(route.limits.attempts, clock)
    this.#patterns = route.paths.map((path) => path.split('/'))
  }

  /** `null`: the path is none of this route's. */
  match(path: string): Record<string, string> | null {
    const segments = path.split('/')
    for (const pattern of this.#patterns) {
      const parameters = matchSegments(pattern, segments)
      if (parameters !== null) return parameters
    }
    return null
  }

  refusalFor(network: string, isStopping: boolean): Parameters<typeof refuseUpgrade>[1] | null {
    if (isStopping || this.#unauthenticated.size >= this.route.limits.maxUnauthenticated) {
      return { code: 'unavailable', message: 'Try again in a moment.', retryAfterSeconds: 1 }
    }
    if (this.#takeConnectionAttempt(network).isTaken) return null
    return { code: 'rate_limited', message: 'Too many attempts; wait.', retryAfterSeconds: 5 }
  }

  async upgrade({ request, socket, head, parameters }: Upgrade): Promise<void> {
    this.#sockets ??= openSockets(this.route.limits.maxPayloadBytes)
    const sockets = await this.#sockets
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const settle = (): void => void this.#unauthenticated.delete(opened)
      this.#unauthenticated.add(opened)
      opened.on('close', settle)
      this.route.accept({ socket: opened, request, parameters, settle })
    })
  }

  /** Waits a moment for connections to close properly, then ends them. */
  async close(): Promise<void> {
    const sockets = await this.#sockets
    if (sockets === null) return
    const closed = new Promise<void>((resolve) => sockets.close(() => resolve()))
    const cancel = this.#clock.after(CLOSE_TIMEOUT_MS, () => {
      for (const socket of sockets.clients) socket.terminate()
    })
    await closed
    cancel()
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const parameters: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(expected)?.[1]
    if (name === undefined ? segment !== expected : segment === '') return null
    if (name !== undefined) parameters[name] = segment
  }
  return parameters
}

/** Loaded for the first caller: it costs some milliseconds that no start has to pay. */
async function openSockets(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer: Sockets } = await import('ws')
  return new Sockets({ noServer: true, maxPayload, perMessageDeflate: false })
}

interface UpgradeRefusal {
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterSeconds?: number
}

/** Answers a request for another protocol in the form of every other error, and closes its connection. */
function refuseUpgrade(socket: Duplex, { code, message, retryAfterSeconds }: UpgradeRefusal): void {
  const status = ERROR_STATUS[code]
  const body = JSON.stringify({ error: message, code, status, details: [], requestId: '' })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
