import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { ERROR_STATUS, type ErrorCode } from '@parley/contract/errors'
import type { Clock } from '@parley/engine/ports'
import type { WebSocket, WebSocketServer } from 'ws'
import { type BucketSettings, createTokenBuckets, getClientNetwork } from '../../kernel/security/rate-limits.ts'

/** An accepted WebSocket. */
export interface AcceptedConnection {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  /** Path parameter values. */
  readonly parameters: Readonly<Record<string, string>>
  /** Marks the client as authenticated or rejected. Until then, the connection counts as unauthenticated. */
  finishAuthentication(): void
}

interface UpgradeLimits {
  /** Maximum message size. */
  readonly maxPayloadBytes: number
  /** Limit of connection attempts per client network. */
  readonly attempts: BucketSettings
  readonly maxUnauthenticated: number
}

/** Handles WebSocket connections to its paths. */
export interface UpgradeRoute {
  /** A segment in braces matches any text, as in `/streams/{token}`. */
  readonly paths: readonly string[]
  readonly limits: UpgradeLimits
  accept(connection: AcceptedConnection): void
  /** Rejects new connections and resolves when all connections are closed. */
  drain(): Promise<void>
  /** Terminates all connections. */
  terminate(): void
}

interface UpgradeTableOptions {
  /** The HTTP server. Its port also serves the WebSockets. */
  readonly server: Server
  readonly routes: readonly UpgradeRoute[]
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Returns the client address of a request behind trusted proxies. */
  readonly getClientAddress: (request: IncomingMessage) => string
}

/** Routes WebSocket requests. */
interface UpgradeTable {
  /** Rejects new connections and waits until all connections are closed, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>
  /** Closes all connections. Must be awaited before closing the server. */
  close(): Promise<void>
}

/** Maximum time for terminated connections to close. */
const CLOSE_TIMEOUT_MS = 1_000

export function createUpgradeTable(options: UpgradeTableOptions): UpgradeTable {
  const { server, clock, logError } = options
  const routeEntries = options.routes.map((route) => new RouteEntry(route, clock))
  let isStopping = false

  function routeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const path = request.url?.split('?', 1)[0] ?? ''
    for (const entry of routeEntries) {
      const parameters = entry.match(path)
      if (parameters === null) continue
      const rejection = entry.findRejection(getClientNetwork(options.getClientAddress(request)), isStopping)
      if (rejection !== null) {
        rejectUpgrade(socket, rejection)
        return
      }
      entry.upgrade({ request, socket, head, parameters }).catch((error: unknown) => {
        logError('open a WebSocket', error)
        socket.destroy()
      })
      return
    }
    rejectUpgrade(socket, { code: 'not_found', message: 'No WebSocket endpoint at this path.' })
  }

  server.on('upgrade', routeUpgrade)
  return {
    async drain(deadlineMs) {
      isStopping = true
      const drained = Promise.all(routeEntries.map(({ route }) => route.drain()))
      if (deadlineMs <= 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(deadlineMs, resolve)
      await Promise.race([drained, promise])
      cancel()
    },
    async close() {
      isStopping = true
      for (const { route } of routeEntries) route.terminate()
      await Promise.all(routeEntries.map((entry) => entry.close()))
      server.off('upgrade', routeUpgrade)
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
  readonly #unauthenticatedSockets = new Set<WebSocket>()
  #socketServer: Promise<WebSocketServer> | null = null

  constructor(route: UpgradeRoute, clock: Clock) {
    this.route = route
    this.#clock = clock
    this.#takeConnectionAttempt = createTokenBuckets(route.limits.attempts, clock)
    this.#patterns = route.paths.map((path) => path.split('/'))
  }

  /** Returns the path parameters, or null if the path does not match. */
  match(path: string): Record<string, string> | null {
    const segments = path.split('/')
    for (const pattern of this.#patterns) {
      const parameters = matchSegments(pattern, segments)
      if (parameters !== null) return parameters
    }
    return null
  }

  findRejection(network: string, isStopping: boolean): Parameters<typeof rejectUpgrade>[1] | null {
    if (isStopping || this.#unauthenticatedSockets.size >= this.route.limits.maxUnauthenticated) {
      return { code: 'unavailable', message: 'Try again in a moment.', retryAfterSeconds: 1 }
    }
    if (this.#takeConnectionAttempt(network).isTaken) return null
    return { code: 'rate_limited', message: 'Too many attempts. Try again later.', retryAfterSeconds: 5 }
  }

  async upgrade({ request, socket, head, parameters }: Upgrade): Promise<void> {
    this.#socketServer ??= createSocketServer(this.route.limits.maxPayloadBytes)
    const socketServer = await this.#socketServer
    socketServer.handleUpgrade(request, socket, head, (webSocket) => {
      const finishAuthentication = (): void => void this.#unauthenticatedSockets.delete(webSocket)
      this.#unauthenticatedSockets.add(webSocket)
      webSocket.on('close', finishAuthentication)
      this.route.accept({ socket: webSocket, request, parameters, finishAuthentication })
    })
  }

  /** Waits for connections to close and terminates the remaining ones. */
  async close(): Promise<void> {
    const socketServer = await this.#socketServer
    if (socketServer === null) return
    const closed = new Promise<void>((resolve) => socketServer.close(() => resolve()))
    const cancel = this.#clock.after(CLOSE_TIMEOUT_MS, () => {
      for (const socket of socketServer.clients) socket.terminate()
    })
    await closed
    cancel()
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const parameters: Record<string, string> = {}
  for (const [index, patternSegment] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(patternSegment)?.[1]
    if (name === undefined ? segment !== patternSegment : segment === '') return null
    if (name !== undefined) parameters[name] = segment
  }
  return parameters
}

/** Creates the WebSocket server. Loads the library lazily to keep startup fast. */
async function createSocketServer(maxPayload: number): Promise<WebSocketServer> {
  const ws = await import('ws')
  return new ws.WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
}

interface UpgradeRejection {
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterSeconds?: number
}

/** Responds to an upgrade request with a standard error and closes the connection. */
function rejectUpgrade(socket: Duplex, { code, message, retryAfterSeconds }: UpgradeRejection): void {
  const status = ERROR_STATUS[code]
  const body = JSON.stringify({ error: message, code, status, details: [], requestId: '' })
  const headerLines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'connection: close',
  ]
  socket.end(`${headerLines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Creates a function that resolves the client address of a raw request. `trustProxy` is `true` to trust every `X-Forwarded-For`
 * header, `false` to trust none, or a list of proxy addresses, networks and range names.
 */
export function createClientAddressResolver(trustProxy: boolean | string): (request: IncomingMessage) => string {
  const isTrusted = trustProxy === true ? () => true : trustProxy === false ? () => false : createTrustCheck(trustProxy)
  return ({ socket, headers }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((address) => address.trim())
      .filter((address) => address !== '')
    let address = toPlainAddress(socket.remoteAddress ?? '')
    // Walks from the nearest proxy outward. The first untrusted address is the client.
    for (let next = forwarded.pop(); next !== undefined && isTrusted(address); next = forwarded.pop()) {
      address = toPlainAddress(next)
    }
    return address
  }
}

function createTrustCheck(setting: string): (address: string) => boolean {
  const trustedRanges = new BlockList()
  for (const entry of setting.split(',').flatMap((name) => NAMED_RANGES[name.trim()] ?? [name.trim()])) {
    const [network = '', prefixLength] = entry.split('/')
    const version = isIP(network)
    if (version === 0) continue
    const family = version === 4 ? 'ipv4' : 'ipv6'
    trustedRanges.addSubnet(
      network,
      prefixLength === undefined ? (version === 4 ? 32 : 128) : Number(prefixLength),
      family,
    )
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && trustedRanges.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Converts IPv4-mapped IPv6 addresses to IPv4. */
function toPlainAddress(address: string): string {
  const match = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return match?.[1] ?? address
}
