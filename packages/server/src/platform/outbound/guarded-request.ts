import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '@parley/engine/ports'
import type { Agent, Dispatcher } from 'undici'
import { type Deadline, startDeadline } from './deadline.ts'
import { createGuardedAgent, describeFailure, type GuardedAgentOptions, OutboundError } from './guarded-agent.ts'
import { findUrlProblem, followRedirect, type Hop, isRedirect, prepareHeaders } from './outbound-headers.ts'
import type {
  OutboundFailure,
  OutboundOutcome,
  OutboundRequest,
  OutboundResponse,
  SendOutbound,
} from './outbound-request.ts'
import { readBody } from './response-body.ts'

export interface GuardedClientOptions extends GuardedAgentOptions {
  readonly clock: Clock
}

/** The client for requests to addresses that customers choose. */
export interface GuardedClient {
  readonly request: SendOutbound
  /** Ends all running requests and closes all connections. */
  close(): Promise<void>
}

const MAX_REDIRECTS = 5
/** Size limit of a redirect's body, which is read so that the connection can be reused. */
const MAX_REDIRECT_BODY_BYTES = 16_384

/**
 * Creates a client that blocks private targets at each connection, follows redirects itself, and limits time, bytes and
 * redirects. All requests share the client's connections.
 */
export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const agent = createGuardedAgent(options)
  return {
    request: (request) => sendGuarded(request, { agent, clock: options.clock }),
    close: () => agent.destroy(),
  }
}

interface ClientParts {
  readonly agent: Agent
  readonly clock: Clock
}

async function sendGuarded(request: OutboundRequest, { agent, clock }: ClientParts): Promise<OutboundOutcome> {
  const firstHop = prepareFirstHop(request)
  if ('ok' in firstHop) return firstHop
  const deadline = startDeadline(clock, request.timeoutMs, request.signal)
  const progress: Progress = { status: null, limitMs: request.timeoutMs }
  try {
    deadline.signal.throwIfAborted()
    return await followHops(firstHop, { agent, clock, deadline, progress, request })
  } catch (error) {
    const endReason = deadline.getEndReason()
    if (endReason === null) return describeFailure(error, progress.status)
    const message =
      endReason === 'timeout'
        ? `The server did not respond within ${progress.limitMs} ms.`
        : 'The request was cancelled.'
    return { ok: false, reason: endReason, message, status: progress.status }
  } finally {
    deadline.release()
  }
}

/** The latest status and the applicable time limit, which describe a failure. */
interface Progress {
  status: number | null
  limitMs: number
}

interface RedirectChain {
  readonly agent: Agent
  readonly clock: Clock
  readonly deadline: Deadline
  readonly progress: Progress
  readonly request: OutboundRequest
}

async function followHops(firstHop: Hop, chain: RedirectChain): Promise<OutboundResponse> {
  const { deadline, progress, request } = chain
  const maxRedirects = Math.min(request.maxRedirects ?? MAX_REDIRECTS, MAX_REDIRECTS)
  let hop = firstHop
  for (let redirects = 0; ; redirects++) {
    const response = await awaitHeaders(deadline.race(sendHop(hop, chain)), chain)
    progress.status = response.statusCode
    const headers = flattenHeaders(response.headers)
    const location = headers.location
    if (maxRedirects === 0 || !isRedirect(response.statusCode, location)) {
      const body = await deadline.race(
        readBody(response.body, {
          maxBytes: request.maxResponseBytes,
          contentLength: hop.method === 'HEAD' ? undefined : headers['content-length'],
          contentEncoding: headers['content-encoding'],
        }),
      )
      return { ok: true, status: response.statusCode, headers, body, url: hop.url.href }
    }
    await deadline.race(response.body.dump({ limit: MAX_REDIRECT_BODY_BYTES, signal: deadline.signal }))
    if (redirects === maxRedirects) throw new OutboundError('too-many-redirects', 'The server redirects too often.')
    hop = buildNextHop(hop, response.statusCode, location)
  }
}

async function awaitHeaders<Response>(
  responsePromise: Promise<Response>,
  { clock, deadline, progress, request: { headersTimeoutMs } }: RedirectChain,
): Promise<Response> {
  if (headersTimeoutMs === undefined) return await responsePromise
  const cancelTimer = clock.after(headersTimeoutMs, () => {
    progress.limitMs = headersTimeoutMs
    deadline.expire()
  })
  try {
    return await responsePromise
  } finally {
    cancelTimer()
  }
}

function buildNextHop(hop: Hop, status: number, location: string): Hop {
  const nextHop = followRedirect(hop, status, location)
  if (nextHop === null) throw new OutboundError('network', 'The server redirects to an invalid address.')
  const problem = findUrlProblem(nextHop.url)
  if (problem !== null) throw new OutboundError('blocked-target', `The server redirects elsewhere. ${problem}`)
  return nextHop
}

/**
 * Sends one hop. Rejects at the deadline without waiting for the connection. A request that was not sent by then is never sent.
 */
function sendHop(hop: Hop, { agent, deadline }: RedirectChain): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: hop.url.origin,
    path: `${hop.url.pathname}${hop.url.search}`,
    method: hop.method,
    headers: hop.headers,
    body: hop.body ?? null,
    signal: deadline.signal,
  })
}

function prepareFirstHop(request: OutboundRequest): Hop | OutboundFailure {
  const url = URL.canParse(request.url) ? new URL(request.url) : null
  const problem = url === null ? 'The address is not a valid URL.' : findUrlProblem(url)
  if (url === null || problem !== null) return createInvalidRequestFailure(problem ?? '')
  const headerResult = prepareHeaders(request.headers ?? {})
  if ('problem' in headerResult) return createInvalidRequestFailure(headerResult.problem)
  return { url, method: request.method, headers: headerResult.headers, body: request.body }
}

function createInvalidRequestFailure(message: string): OutboundFailure {
  return { ok: false, reason: 'invalid-request', message, status: null }
}

function flattenHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const flatHeaders: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flatHeaders[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flatHeaders
}
