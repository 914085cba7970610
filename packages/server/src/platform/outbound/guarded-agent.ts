import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool } from 'undici'
import type { TargetPolicy } from './target-policy.ts'

/** An address that a name resolves to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Finds all addresses of a name; rejects when there are none. */
export type ResolveAddresses = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** Makes what opens sockets; the literal address was checked before, the lookup checks all others. */
export type MakeConnector = (options: {
  readonly lookup: LookupFunction
  readonly port: number
}) => buildConnector.connector

/** What decides where connections go, and how they are made. */
export interface GuardOptions {
  readonly policy: TargetPolicy
  /** The system's resolver unless given; tests hand in a fake one. */
  readonly resolve?: ResolveAddresses
  /** Real sockets unless given; tests hand in one that cannot leave the loopback. */
  readonly makeConnector?: MakeConnector
}

export interface GuardedAgentOptions extends GuardOptions {
  /** Open connections to one origin; more requests wait for one of them. 64 unless given. */
  readonly connectionsPerOrigin?: number
}

/** What a connection to a refused address fails with. It names no address: the caller may be a customer. */
export class BlockedTargetError extends Error {
  constructor() {
    super('The target is not a public address')
    this.name = 'BlockedTargetError'
  }
}

const DEFAULT_CONNECTIONS_PER_ORIGIN = 64
/** Origins with open connections at a time: a bound on what steered URLs can hold open; idle ones leave after seconds. */
const MAX_ORIGINS = 4096
/** Longer than any sane handshake; the whole request has a deadline of its own. */
const CONNECT_TIMEOUT_MS = 10_000
/** How long one address of several is tried alone before the next one starts beside it (RFC 8305 recommends 250). */
const NEXT_ADDRESS_DELAY_MS = 250

/**
 * An undici agent that connects only where the policy allows, through `createGuardedConnector`. A pooled connection stays
 * with the address it was checked for.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  return new Agent({
    connections: options.connectionsPerOrigin ?? DEFAULT_CONNECTIONS_PER_ORIGIN,
    maxOrigins: MAX_ORIGINS,
    allowH2: false,
    // Deadlines belong to the request, which a tool may set to minutes; a second clock here would cut it short.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...poolOptions,
        connect: createGuardedConnector(options, portOf(new URL(origin))),
      }),
  })
}

/**
 * Opens connections to one port, only where the policy allows. Literal addresses are checked before anything is opened (a
 * lookup never sees them), names by the lookup, whose checked answer is what the socket connects to, so that no second
 * resolution can differ. `https:` targets are connected with TLS.
 */
export function createGuardedConnector(guard: GuardOptions, port: number): buildConnector.connector {
  const { policy, resolve = resolveWithSystem, makeConnector = makeSocketConnector } = guard
  const connect = makeConnector({ lookup: createGuardedLookup({ policy, resolve, port }), port })
  return (target, callback) => {
    const isLiteral = isIP(target.hostname) !== 0
    if (isLiteral && !policy.allows({ hostname: target.hostname, port, address: target.hostname })) {
      // Later, because the pool is not ready for an answer within its own call.
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
 * A socket's lookup that refuses a name when any of its addresses is refused. All, not some: a name that mixes public and
 * private addresses is either a mistake or an attack.
 */
function createGuardedLookup({ policy, resolve, port }: LookupOptions): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<readonly ResolvedAddress[]> => {
      const addresses = await resolve(hostname)
      if (addresses.some(({ address }) => !policy.allows({ hostname, port, address }))) throw new BlockedTargetError()
      return addresses
    }
    answer().then(
      (addresses) => {
        const first = addresses[0]
        if (first === undefined) callback(nameNotFound(), '', 0)
        else if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : nameNotFound(), '', 0),
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

function nameNotFound(): NodeJS.ErrnoException {
  return Object.assign(new Error('The name has no address'), { code: 'ENOTFOUND' })
}

async function resolveWithSystem(hostname: string): Promise<readonly ResolvedAddress[]> {
  const addresses = await systemLookup(hostname, { all: true, order: 'verbatim' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/** The port of an `http` or `https` address. */
export function portOf(origin: URL): number {
  if (origin.port !== '') return Number(origin.port)
  return origin.protocol === 'https:' ? 443 : 80
}
