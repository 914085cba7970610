import type { Socket } from 'node:net'
import type { Clock, MakeId } from '@parley/engine/ports'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Actor } from '../kernel/actor.ts'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Metrics } from './metrics.ts'
import { errorBody, invalidRequest, isCallRoute, toAppError } from './problems.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    startedAt: number
  }
}

/** Longer paths with their query are refused with 414. */
const MAX_URL_LENGTH = 8192
const MAX_HEADER_BYTES = 32 * 1024
/** A client must send its whole request within this time. */
const REQUEST_TIMEOUT_MS = 60_000

export interface HttpServerOptions {
  readonly clock: Clock
  readonly makeId: MakeId
  readonly logger: Logger
  readonly metrics: Metrics
  readonly trustProxy: boolean | string
}

/** A Fastify instance with our request ids, body parsing, error form, logging and limits; operations are mounted by `createApi`. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const fastify = Fastify({
    logger: false,
    trustProxy: options.trustProxy,
    genReqId: () => options.makeId('req'),
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true, onBadUrl: refuseBadUrl },
    frameworkErrors: (error, request, reply) =>
      sendError(options.logger, error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: refuseMalformedHttp,
  })
  fastify.decorateRequest('actor', null)
  fastify.decorateRequest('startedAt', 0)
  parseJsonBodies(fastify)
  addHooks(fastify, options)
  fastify.setErrorHandler((error, request, reply) => sendError(options.logger, error, request, reply))
  fastify.setNotFoundHandler(async () => {
    throw new AppError('not_found', 'Nothing exists at this path. GET /openapi.json lists every operation.')
  })
  return fastify
}

function addHooks(fastify: FastifyInstance, { clock, logger, metrics }: HttpServerOptions): void {
  fastify.addHook('onRequest', async (request, reply) => {
    request.startedAt = clock.now()
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.url.length > MAX_URL_LENGTH)
      throw new AppError('uri_too_long', `The URL is longer than ${MAX_URL_LENGTH} characters.`)
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const durationMs = clock.now() - request.startedAt
    // The pattern, never the URL: a path or query can hold personal data.
    const route = request.routeOptions.url ?? 'unknown'
    metrics.countRequest({ method: request.method, route, status: reply.statusCode, durationMs })
    logger.info(
      { requestId: request.id, method: request.method, route, status: reply.statusCode, durationMs },
      'request',
    )
  })
}

/** JSON only; an empty body is no body, whatever its content type says. */
function parseJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i,
    { parseAs: 'string' },
    (_request, body, done) => {
      if (body === '') return done(null, undefined)
      try {
        done(null, JSON.parse(body as string))
      } catch {
        done(invalidRequest([{ path: '', message: 'is not valid JSON' }]))
      }
    },
  )
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined)
    done(new AppError('unsupported_media_type', 'Send the body as application/json.'))
  })
}

async function sendError(
  logger: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = toAppError(error)
  if (problem.status >= 500)
    logger.error({ requestId: request.id, code: problem.code, cause: problem.cause ?? problem }, 'request failed')
  if (problem.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(problem.retryAfterMs / 1000)))
  reply
    .header('x-request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .status(problem.status)
  return await reply.send(JSON.stringify(errorBody(problem, request.id, isCallRoute(request.url))))
}

function refuseBadUrl(
  _path: string,
  request: { url?: string | undefined },
  response: { writeHead: (status: number, headers: Record<string, string>) => unknown; end: (body: string) => unknown },
): void {
  const problem = new AppError('invalid_request', 'The path is not a valid URL path.')
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(errorBody(problem, '', isCallRoute(request.url ?? ''))))
}

/** Bytes that are not HTTP never reach a route: answered on the socket in the same form, then closed. */
function refuseMalformedHttp(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('uri_too_long', 'The request line and headers are too long.')
      : new AppError('invalid_request', 'The request is not valid HTTP.')
  const body = JSON.stringify(errorBody(problem, '', false))
  socket.end(
    `HTTP/1.1 ${problem.status} Error\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
