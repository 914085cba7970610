import type { Operation } from '@parley/contract/operation'
import { pathsOf } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, reachesWorkspace } from '../kernel/actor.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import { sendEventStream } from './event-stream.ts'
import { type Idempotency, type IdempotentRequest, readIdempotencyKey, type StoredAnswer } from './idempotency.ts'
import { type Api, EventStream, type NextPage, type RequestContext } from './implement.ts'
import { errorBody, isCallRoute, toAppError } from './problems.ts'
import type { RateDecision, RateLimitSettings } from './rate-limit.ts'
import { createRequestReader, type ReadInput } from './read-request.ts'

export interface ApiDependencies {
  readonly fastify: FastifyInstance
  readonly clock: Clock
  readonly idempotency: Idempotency
  /** Resolves a bearer token; `null` for one that is missing, unknown, expired or revoked. */
  readonly authenticate: (authorization: string | undefined) => Promise<Actor | null>
  readonly rateLimit: { readonly settings: RateLimitSettings; readonly take: (key: string) => RateDecision }
  /** Tests check every answer against its schema; a running server trusts the types. */
  readonly checkAnswers: boolean
}

type AnyHandler = (input: never, context: RequestContext) => Promise<unknown>

const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_LIMIT_BYTES = 1024 * 1024
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** No workspace id is ever 0. */
const NO_WORKSPACE = 0

/** Mounts operations on Fastify: access, limits, input, idempotency and the form of answers, once for all of them. */
export function createApi(dependencies: ApiDependencies): Api & { refuseOtherMethods(): void } {
  const methodsOfPath = new Map<string, Set<string>>()

  return {
    add(operation, handler) {
      const run = createRoute(dependencies, operation, handler)
      for (const path of pathsOf(operation)) {
        const url = path.replace(/\{(\w+)\}/g, ':$1')
        const methods = methodsOfPath.get(url) ?? new Set()
        methods.add(operation.method)
        if (operation.method === 'GET') methods.add('HEAD')
        methodsOfPath.set(url, methods)
        const { bodyLimitBytes = BODY_LIMIT_BYTES } = operation
        dependencies.fastify.route({ method: operation.method, url, bodyLimit: bodyLimitBytes, handler: run })
      }
    },
    refuseOtherMethods() {
      for (const [url, allowed] of methodsOfPath) {
        const allow = [...allowed].join(', ')
        const others = METHODS.filter((method) => !allowed.has(method))
        dependencies.fastify.route({
          method: others,
          url,
          handler: async (_request, reply) => {
            reply.header('allow', allow)
            throw new AppError('method_not_allowed', `This path answers ${allow}.`)
          },
        })
      }
    },
  }
}

function createRoute(dependencies: ApiDependencies, operation: Operation, handler: AnyHandler) {
  const read = createRequestReader(operation)
  // A completion has its own idempotency: a retry attaches to the running turn instead of waiting for its answer.
  const ownsIdempotency = operation.features?.includes('event-stream') === true
  const isIdempotent = operation.method === 'POST' && operation.access !== 'public' && !ownsIdempotency

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const actor = await admit(dependencies, operation, request, reply)
    const key = operation.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const found = read({ path: request.params, query: request.query, body: request.body })
    checkWorkspace(actor, found, request)
    if (found.ignored.length > 0) reply.header('x-ignored-fields', ignoredHeader(found.ignored))
    const context = createContext(request, reply, { actor, workspaceId: found.workspaceId ?? NO_WORKSPACE, key })
    if (!isIdempotent || key === null)
      return await answer(dependencies, operation, reply, await handler(found.input as never, context))

    const claim: IdempotentRequest = {
      actorId: actor.userId,
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      key,
      body: [request.body, request.query],
    }
    const stored = await dependencies.idempotency.begin(claim)
    if (stored !== null) return await replay(reply, stored)
    const result = await runOnce(dependencies.idempotency, claim, { request, reply, operation }, () =>
      handler(found.input as never, context),
    )
    return await answer(dependencies, operation, reply, result)
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly operation: Operation
}

/** Runs a request that holds its idempotency key. What it answers, a refusal included, is stored before it is sent. */
async function runOnce(
  idempotency: Idempotency,
  claim: IdempotentRequest,
  exchange: Exchange,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const { request, reply, operation } = exchange
  try {
    const result = await run()
    const etag = reply.getHeader('etag')
    const headers = etag === undefined ? {} : { etag: String(etag) }
    await idempotency.finish(claim, {
      status: operation.status,
      headers,
      body: result === undefined ? '' : JSON.stringify(result),
    })
    return result
  } catch (error) {
    const refusal = toAppError(error)
    const body = JSON.stringify(errorBody(refusal, request.id, isCallRoute(request.url)))
    await idempotency.finish(claim, { status: refusal.status, headers: {}, body })
    throw error
  }
}

async function replay(reply: FastifyReply, stored: StoredAnswer): Promise<FastifyReply> {
  reply.headers(stored.headers).header('idempotent-replayed', 'true').status(stored.status)
  if (stored.body === '') return await reply.send()
  return await reply.header('content-type', JSON_TYPE).send(stored.body)
}

/** Who calls, whether they may do this at all, and whether they may do it now. */
async function admit(
  dependencies: ApiDependencies,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Actor> {
  const actor =
    operation.access === 'public' ? PUBLIC_ACTOR : await dependencies.authenticate(request.headers.authorization)
  limitRate(dependencies, actor === null || actor === PUBLIC_ACTOR ? `ip:${request.ip}` : actor.tokenId, reply)
  if (actor === null) {
    reply.header('www-authenticate', 'Bearer')
    throw new AppError('unauthorized', 'Send a valid API token as "Authorization: Bearer <token>".')
  }
  request.actor = actor
  if (operation.access !== 'public' && !actor.scopes.has(operation.access)) {
    throw new AppError('forbidden', `This needs a token with the scope "${operation.access}".`)
  }
  return actor
}

const PUBLIC_ACTOR: Actor = { tokenId: '', userId: '', role: 'end_user', scopes: new Set(), workspaceIds: new Set() }

function limitRate({ rateLimit }: ApiDependencies, key: string, reply: FastifyReply): void {
  if (rateLimit.settings.perSecond === 0) return
  const decision = rateLimit.take(key)
  const waitSeconds = Math.max(1, Math.ceil(decision.waitMs / 1000))
  reply.header('ratelimit-limit', rateLimit.settings.burst)
  reply.header('ratelimit-remaining', decision.remaining)
  reply.header('ratelimit-reset', waitSeconds)
  if (decision.allowed) return
  throw new AppError(
    'rate_limited',
    `Too many requests: ${rateLimit.settings.perSecond} a second on average. Wait and try again.`,
    {
      retryAfterMs: decision.waitMs,
    },
  )
}

function checkWorkspace(actor: Actor, found: ReadInput, request: FastifyRequest): void {
  if (found.workspaceId === null) return
  if (!reachesWorkspace(actor, found.workspaceId)) {
    throw new AppError('workspace_forbidden', `This token does not reach workspace ${found.workspaceId}.`)
  }
  const header = request.headers['x-workspace-id']
  if (header !== undefined && header !== String(found.workspaceId)) {
    throw invalidField('X-Workspace-Id', 'must equal workspaceId where both are given')
  }
}

/** At most 20 names and 1 KiB, percent-encoded, so that no name can break a header. */
function ignoredHeader(names: readonly string[]): string {
  const encoded: string[] = []
  let sizeBytes = 0
  for (const name of names.slice(0, 20)) {
    const item = encodeURIComponent(name.toWellFormed())
    sizeBytes += item.length + 2
    if (sizeBytes > 1024) break
    encoded.push(item)
  }
  return encoded.join(', ')
}

interface ContextParts {
  readonly actor: Actor
  readonly workspaceId: number
  readonly key: string | null
}

function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { actor, workspaceId, key }: ContextParts,
): RequestContext {
  return {
    actor,
    workspaceId,
    requestId: request.id,
    idempotencyKey: key,
    ifMatch: readIfMatch(request.headers['if-match']),
    acceptsEventStream: request.headers.accept?.includes('text/event-stream') === true,
    lastEventId: readLastEventId(request.headers['last-event-id']),
    setEtag: (editCount) => void reply.header('etag', `"${editCount}"`),
    setReplayed: () => void reply.header('idempotent-replayed', 'true'),
    setNextPage: (next) => setPagingHeaders(request, reply, next),
  }
}

/** `*` matches anything, which is what no header means. A tag that is not ours can never match. */
function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null
  const match = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())
  return match === null ? -1 : Number(match[1])
}

function readLastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header)
  throw invalidField('Last-Event-ID', 'must be the id of an event of this turn')
}

function setPagingHeaders(request: FastifyRequest, reply: FastifyReply, next: NextPage | null): void {
  reply.header('x-has-more', next === null ? 'false' : 'true')
  if (next === null) return
  const [path = '', query = ''] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  for (const name of [...parameters.keys()]) {
    if (/^pagination[_-]?key([_-]?version)?$/i.test(name)) parameters.delete(name)
  }
  parameters.set('paginationKey', next.key)
  reply.header('x-next-pagination-key', next.key)
  if (next.version !== null) {
    parameters.set('paginationKeyVersion', String(next.version))
    reply.header('x-next-pagination-key-version', String(next.version))
  }
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}

async function answer(
  dependencies: ApiDependencies,
  operation: Operation,
  reply: FastifyReply,
  result: unknown,
): Promise<FastifyReply> {
  if (result instanceof EventStream) {
    const headers = reply.getHeaders() as Record<string, string>
    reply.hijack()
    sendEventStream(reply.raw, result, headers, dependencies.clock)
    return reply
  }
  if (dependencies.checkAnswers) operation.result?.parse(result)
  reply.status(operation.status)
  if (result === undefined) return await reply.send()
  reply.header('content-type', JSON_TYPE)
  return await reply.send(JSON.stringify(result))
}
