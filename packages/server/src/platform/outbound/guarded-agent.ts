import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool } from 'undici'
import type { OutboundFailure, OutboundFailureReason } from './outbound-request.ts'
import type { TargetPolicy } from './target-policy.ts'

/** A resolved address of a host name. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves all addresses of a name. Rejects if there are none. */
export type ResolveAddresses = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** Creates the function that opens sockets. Literal addresses were checked before; `lookup` checks all other addresses. */
export type MakeConnector = (options: {
  readonly lookup: LookupFunction
  readonly port: number
}) => buildConnector.connector

/** Decides where connections can go and how they are opened. */
export interface GuardOptions {
  readonly policy: TargetPolicy
  /** Defaults to the system's resolver; tests use a fake resolver. */
  readonly resolve?: ResolveAddresses
  /** Defaults to real sockets; tests use sockets that cannot leave the loopback interface. */
  readonly makeConnector?: MakeConnector
}

export interface GuardedAgentOptions extends GuardOptions {
  /** Maximum connections per origin; defaults to 64. Further requests wait. */
  readonly connectionsPerOrigin?: number
}

/** Error of a connection to a blocked address. The error names no address, because a customer can see it. */
class BlockedTargetError extends Error {
  constructor() {
    super('The target is not a public address')
    this.name = 'BlockedTargetError'
  }
}

const DEFAULT_CONNECTIONS_PER_ORIGIN = 64
/** Maximum number of origins with open connections, because customers choose URLs. Idle connections close after a few seconds. */
const MAX_ORIGINS = 4096
/** Longer than any normal handshake. The whole request has a separate deadline. */
const CONNECT_TIMEOUT_MS = 10_000
/** Delay before the next address is tried concurrently (RFC 8305 recommends 250 ms). */
const NEXT_ADDRESS_DELAY_MS = 250

/**
 * Creates an undici agent that connects only where the policy allows, through `createGuardedConnector`. A pooled connection
 * keeps the address that was checked.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  return new Agent({
    connections: options.connectionsPerOrigin ?? DEFAULT_CONNECTIONS_PER_ORIGIN,
    maxOrigins: MAX_ORIGINS,
    allowH2: false,
    // The request has its own deadline, which can be minutes away.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...poolOptions,
        connect: createGuardedConnector(options, getPort(new URL(origin))),
      }),
  })
}

/**
 * Creates a function that opens connections to one port if the policy allows it, with TLS for `https:`. Literal addresses are
 * checked before connecting. Names are checked by the lookup, and the socket connects to the checked address without resolving
 * again.
 */
export function createGuardedConnector(guard: GuardOptions, port: number): buildConnector.connector {
  const { policy, resolve = resolveWithSystem, makeConnector = makeSocketConnector } = guard
  const connect = makeConnector({ lookup: createGuardedLookup({ policy, resolve, port }), port })
  return (target, callback) => {
    const isLiteral = isIP(target.hostname) !== 0
    if (isLiteral && !policy.allows({ hostname: target.hostname, port, address: target.hostname })) {
      // Deferred, because the pool does not expect the callback to run synchronously.
      queueMicrotask(() => callback(new BlockedTargetError(), null))
      return
    }
    connect(target, callback)
  }
}

interface LookupOptions {
  readonly policy: TargetPolicy
  readonly resolve: ResolveAddresses
  readonly port: number
}

/**
 * Creates a lookup that blocks a name if any of its addresses is blocked. Mixed public and private addresses suggest an attack.
 */
function createGuardedLookup({ policy, resolve, port }: LookupOptions): LookupFunction {
  return (hostname, options, callback) => {
    const resolveAllowed = async (): Promise<readonly ResolvedAddress[]> => {
      const addresses = await resolve(hostname)
      if (addresses.some(({ address }) => !policy.allows({ hostname, port, address }))) throw new BlockedTargetError()
      return addresses
    }
    resolveAllowed().then(
      (addresses) => {
        const firstAddress = addresses[0]
        if (firstAddress === undefined) callback(createNameNotFoundError(), '', 0)
        else if (options.all === true) callback(null, [...addresses])
        else callback(null, firstAddress.address, firstAddress.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : createNameNotFoundError(), '', 0),
    )
  }
}

const makeSocketConnector: MakeConnector = ({ lookup, port }) =>
  buildConnector({
    lookup,
    port,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_DELAY_MS,
  })

function createNameNotFoundError(): NodeJS.ErrnoException {
  return Object.assign(new Error('The name has no address'), { code: 'ENOTFOUND' })
}

async function resolveWithSystem(hostname: string): Promise<readonly ResolvedAddress[]> {
  const addresses = await systemLookup(hostname, { all: true, order: 'verbatim' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/** Returns the port of an `http` or `https` URL. */
export function getPort(origin: URL): number {
  if (origin.port !== '') return Number(origin.port)
  return origin.protocol === 'https:' ? 443 : 80
}

/** A failure thrown while sending a request. `describeFailure` converts it to a value. */
export class OutboundError extends Error {
  readonly reason: OutboundFailureReason

  constructor(reason: OutboundFailureReason, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

const MESSAGE_BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name could not be resolved.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'The server refused the connection.',
  ECONNRESET: 'The server closed the connection before the response was complete.',
  EPIPE: 'The server closed the connection before the response was complete.',
  UND_ERR_SOCKET: 'The server closed the connection before the response was complete.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The server closed the connection before the response was complete.',
  EHOSTUNREACH: 'The server cannot be reached.',
  ENETUNREACH: 'The server cannot be reached.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large.',
  UND_ERR_MAX_ORIGINS_REACHED: 'Too many servers are being called at once.',
}

/** Describes an error for customers without the error's own text, which can contain internal addresses. */
export function describeFailure(error: unknown, status: number | null): OutboundFailure {
  if (error instanceof OutboundError) return { ok: false, reason: error.reason, message: error.message, status }
  if (error instanceof BlockedTargetError) {
    return { ok: false, reason: 'blocked-target', message: 'Only public addresses can be called.', status }
  }
  const code = toErrorCode(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { ok: false, reason: 'timeout', message: 'The connection to the server timed out.', status }
  }
  return { ok: false, reason: 'network', message: MESSAGE_BY_CODE[code] ?? describeUnlistedCode(code), status }
}

function describeUnlistedCode(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)) return "The server's certificate is not trusted."
  if (/^HPE_|^HTTPParserError$/.test(code)) return 'The response is not valid HTTP.'
  if (/SSL|EPROTO/.test(code)) return 'A TLS connection to the server could not be established.'
  return 'The server could not be reached.'
}

/** Returns the code of an error, or its name if it has no code, as with some errors of the HTTP parser. */
function toErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
