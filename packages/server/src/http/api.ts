import type { Operation } from '@parley/contract/operation'
import { pathsOf } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, reachesWorkspace } from '../kernel/actor.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { Logger } from '../kernel/logger.ts'
import { EVENT_STREAM_TYPE, sendEventStream } from './event-stream.ts'
import {
  type Hold,
  type Idempotency,
  type IdempotentRequest,
  readIdempotencyKey,
  type StoredAnswer,
} from './idempotency.ts'
import { type Api, EventStream, JsonText, type RequestContext } from './implement.ts'
import { errorBody, isCallRoute, toAppError } from './problems.ts'
import type { RateDecision, RateLimitSettings } from './rate-limit.ts'
import { createRequestReader, type ReadInput } from './read-request.ts'
import { createRequestContext, readLastEventId } from './request-context.ts'

export interface ApiDependencies {
  readonly fastify: FastifyInstance
  readonly clock: Clock
  readonly idempotency: Idempotency
  readonly logger: Pick<Logger, 'error'>
  /** Resolves a bearer token; `null` for one that is missing, unknown, expired or revoked. */
  readonly authenticate: (authorization: string | undefined) => Promise<Actor | null>
  readonly rateLimit: { readonly settings: RateLimitSettings; readonly take: (key: string) => RateDecision }
  /** Tests check every answer against its schema; a running server trusts the types. */
  readonly checkAnswers: boolean
}

type AnyHandler = (input: never, context: RequestContext) => Promise<unknown>

const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_IGNORED_NAMES = 20
const MAX_IGNORED_BYTES = 1024
/** No workspace id is ever 0. */
const NO_WORKSPACE = 0

/** Mounts operations on Fastify: access, limits, input, idempotency and the form of answers, once for all of them. */
export function createApi(dependencies: ApiDependencies): Api {
  const { fastify } = dependencies
  return {
    add(operation, handler) {
      const onRequest = createAdmission(dependencies, operation)
      const run = createRoute(dependencies, operation, handler)
      for (const path of pathsOf(operation)) {
        const url = path.replace(/\{(\w+)\}/g, ':$1')
        fastify.routeMethods.add(path, operation.method)
        const { bodyLimitBytes = BODY_LIMIT_BYTES } = operation
        const route = { method: operation.method, url, bodyLimit: bodyLimitBytes, onRequest, handler: run }
        fastify.route(route)
      }
    },
  }
}

/**
 * Who calls, whether they may do this at all, and whether they may do it now: before the body is read, so that nobody
 * without a token makes the server buffer and parse one.
 */
function createAdmission(dependencies: ApiDependencies, operation: Operation) {
  const { access } = operation
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (access === 'public') {
      limitRate(dependencies, `ip:${request.ip}`, reply)
      request.actor = PUBLIC_ACTOR
      return
    }
    const actor = await dependencies.authenticate(request.headers.authorization)
    limitRate(dependencies, actor === null ? `ip:${request.ip}` : actor.tokenId, reply)
    if (actor === null) {
      reply.header('www-authenticate', 'Bearer')
      throw new AppError('unauthorized', 'Send a valid API token as "Authorization: Bearer <token>".')
    }
    if (!actor.scopes.has(access)) {
      throw new AppError('forbidden', `This needs a token with the scope "${access}".`)
    }
    request.actor = actor
  }
}

function createRoute(dependencies: ApiDependencies, operation: Operation, handler: AnyHandler) {
  const read = createRequestReader(operation)
  // A completion has its own idempotency: a retry attaches to the running turn instead of waiting for its answer.
  const streams = operation.features?.includes('event-stream') === true
  const takesKey = operation.method === 'POST' && operation.access !== 'public'

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const actor = request.actor ?? PUBLIC_ACTOR
    const key = takesKey ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const found = read({ path: request.params, query: request.query, body: request.body })
    checkWorkspace(actor, found, request)
    if (found.ignored.length > 0) setIgnoredFields(reply, found.ignored)
    const context = createRequestContext(request, reply, {
      actor,
      workspaceId: found.workspaceId ?? NO_WORKSPACE,
      key,
      lastEventId: streams ? readLastEventId(request.headers['last-event-id']) : null,
    })
    const exchange: Exchange = { dependencies, operation, request, reply }
    const run = () => handle(handler, found, context)
    if (key === null || streams) return answer(exchange, await run())
    const claim: IdempotentRequest = {
      actorId: actor.userId,
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      key,
      body: [request.body, request.query],
    }
    return await runOnce(exchange, claim, run)
  }
}

/** Only this server's own words reach the caller: an error that a handler did not mean as an answer is an internal one. */
async function handle(handler: AnyHandler, found: ReadInput, context: RequestContext): Promise<unknown> {
  try {
    return await handler(found.input as never, context)
  } catch (error) {
    throw toAppError(error)
  }
}

interface Exchange {
  readonly dependencies: ApiDependencies
  readonly operation: Operation
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Runs a request with an idempotency key. What it answers, a refusal included, is stored before it is sent. */
async function runOnce(
  exchange: Exchange,
  claim: IdempotentRequest,
  run: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { request, reply, operation } = exchange
  const { idempotency } = exchange.dependencies
  const begun = await idempotency.begin(claim)
  if (begun.kind === 'stored') return await replay(reply, begun.answer)
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    const refusal = toAppError(error)
    // "Try again later" is not an answer to keep: the retry that it asks for would meet it for a day.
    const body = JSON.stringify(errorBody(refusal, request.id, isCallRoute(request.url)))
    const kept = refusal.retryAfterMs === undefined ? { status: refusal.status, headers: {}, body } : null
    await remember(exchange, claim, { hold: begun.hold, answer: kept })
    throw refusal
  }
  const etag = reply.getHeader('etag')
  const headers = etag === undefined ? {} : { etag: String(etag) }
  const body = String(contentOf(result))
  // The work is done: a failure to remember it must not read as a failure of the request, which would be sent again.
  await remember(exchange, claim, { hold: begun.hold, answer: { status: operation.status, headers, body } })
  return answer(exchange, result === undefined ? result : new JsonText(body))
}

/** Stores what a key answers from now on. Failing that, the key frees itself when its lease ends. */
async function remember(
  { dependencies, request }: Exchange,
  claim: IdempotentRequest,
  { hold, answer }: { hold: Hold; answer: StoredAnswer | null },
): Promise<void> {
  try {
    await dependencies.idempotency.finish(claim, hold, answer)
  } catch (error) {
    dependencies.logger.error(
      { requestId: request.id, cause: error },
      'the answer of an idempotency key was not stored',
    )
  }
}

async function replay(reply: FastifyReply, stored: StoredAnswer): Promise<FastifyReply> {
  reply.headers(stored.headers).header('idempotent-replayed', 'true').status(stored.status)
  if (stored.body === '') return await reply.send()
  return await reply.header('content-type', JSON_TYPE).send(stored.body)
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

/** Percent-encoded, so that no name can break a header; a name too long for the room that is left is passed over. */
function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  const encoded: string[] = []
  let sizeBytes = 0
  for (const name of names) {
    if (encoded.length === MAX_IGNORED_NAMES) break
    if (sizeBytes + name.length > MAX_IGNORED_BYTES) continue
    const item = encodeURIComponent(name.toWellFormed())
    if (sizeBytes + item.length > MAX_IGNORED_BYTES) continue
    encoded.push(item)
    sizeBytes += item.length + ', '.length
  }
  if (encoded.length > 0) reply.header('x-ignored-fields', encoded.join(', '))
}

/** The body that a result is sent as. */
function contentOf(result: unknown): string | Buffer {
  if (result === undefined) return ''
  return result instanceof JsonText ? result.content : JSON.stringify(result)
}

function answer(exchange: Exchange, result: unknown): FastifyReply {
  const { dependencies, operation, request, reply } = exchange
  if (result instanceof EventStream) {
    if (request.method === 'HEAD') return reply.header('content-type', EVENT_STREAM_TYPE).send()
    sendEventStream(reply.raw, result, reply.getHeaders() as Record<string, string>, dependencies.clock)
    return reply.hijack()
  }
  if (dependencies.checkAnswers)
    operation.result?.parse(result instanceof JsonText ? JSON.parse(String(result.content)) : result)
  reply.status(operation.status)
  if (result === undefined) return reply.send()
  return reply.header('content-type', JSON_TYPE).send(contentOf(result))
}
