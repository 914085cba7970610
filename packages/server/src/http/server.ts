import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '@parley/contract/errors'
import type { Clock, MakeId } from '@parley/engine/ports'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/work/background.ts'
import type { Admitted } from './admission.ts'
import { compressJson } from './compression.ts'
import type { Metrics } from './metrics.ts'
import { errorBody, invalidRequest, isCallRoute, readFrameworkError } from './problems.ts'
import { RouteMethods } from './route-methods.ts'
import { isSentOverHttps } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyInstance {
    routeMethods: RouteMethods
    /** Answers paths that no route knows, or leaves them to the API's own answer by resolving to null. */
    handleUnknownRoute: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | null>) | null
  }
  interface FastifyRequest {
    admitted: Admitted | null
    startedAt: number
  }
}

/**
 * Requests are checked against the contract, not by Fastify: its compilers are never called, and naming others keeps it from
 * loading its own, which takes some 35 ms of a start.
 */
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } }

function refuseSchema(): never {
  throw new Error('Routes take no Fastify schemas; describe them in the contract.')
}

/** Longer paths with their query are refused with 414. */
const MAX_URL_LENGTH = 8192
const MAX_HEADER_BYTES = 32 * 1024
/** A client must send its whole request within this time. */
const REQUEST_TIMEOUT_MS = 60_000
/** For a year browsers use only HTTPS with this host. Other hosts of the domain may not be ours, so they are left out. */
const HSTS = 'max-age=31536000'

export interface HttpServerOptions {
  readonly clock: Clock
  readonly makeId: MakeId
  readonly logger: Logger
  readonly metrics: Metrics
  readonly trustProxy: boolean | string
  /** Browsers reach this server over HTTPS, whatever the connection behind the proxy is. */
  readonly isPublicHttps?: boolean
}

/** A Fastify instance with our request ids, body parsing, error form, logging and limits; operations are mounted by `createApi`. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const fastify = Fastify({
    schemaController: NO_SCHEMAS,
    logger: false,
    trustProxy: options.trustProxy,
    genReqId: () => options.makeId('req'),
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A missing Host is refused by our own hook: Node's answer would have no body.
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      // Anything else that is offered, such as `h2c`, is passed over: the request is answered as it is.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
    } as object,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    // Answered by our own hook in our own form.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendError(options.logger, error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => refuseMalformedHttp(error, socket, options.makeId('req')),
  })
  fastify.decorate('routeMethods', new RouteMethods())
  fastify.decorate('handleUnknownRoute', null)
  fastify.decorateRequest('admitted', null)
  fastify.decorateRequest('startedAt', 0)
  parseJsonBodies(fastify)
  addHooks(fastify, options)
  compressJson(fastify)
  // An expectation that Node does not know is no reason to refuse the request with an empty answer.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response))
  fastify.setErrorHandler((error, request, reply) => {
    // Of a body that is too large: closed at once, a client that is still writing would not hear why. The rest is read and dropped.
    if (isTooLarge(error)) reply.removeHeader('connection')
    return sendError(options.logger, error, request, reply)
  })
  return fastify
}

function isTooLarge(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

function addHooks(fastify: FastifyInstance, options: HttpServerOptions): void {
  const { clock, logger, metrics, isPublicHttps = false } = options
  let closing = false
  fastify.addHook('preClose', async () => {
    closing = true
  })
  fastify.addHook('onRequest', async (request, reply) => {
    request.startedAt = clock.now()
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (isSentOverHttps(request, isPublicHttps)) reply.header('strict-transport-security', HSTS)
    // Answers hold tokens and people's words; what may be kept says so itself.
    reply.header('cache-control', 'no-store')
    if (closing) throw new AppError('unavailable', 'The server is stopping; try again shortly.', { retryAfterMs: 1000 })
    if (request.url.length > MAX_URL_LENGTH)
      throw new AppError('uri_too_long', `The URL is longer than ${MAX_URL_LENGTH} characters.`)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError('invalid_request', 'The request has no Host header.')
    }
    // Here and not in a handler: what a body for nowhere holds does not matter.
    if (request.is404) {
      const allow = fastify.routeMethods.allowedAt(request.url.split('?', 1)[0] ?? '')
      if (allow !== null) {
        reply.header('allow', allow)
        throw new AppError('method_not_allowed', `This path answers ${allow}.`)
      }
      const answered = (await fastify.handleUnknownRoute?.(request, reply)) ?? null
      if (answered !== null) return answered
      throw new AppError('not_found', 'Nothing exists at this path. GET /openapi.json lists every operation.')
    }
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
    /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i,
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
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    const types = request.routeOptions.config.acceptsForms
      ? 'application/json or multipart/form-data'
      : 'application/json'
    done(new AppError('unsupported_media_type', `Send the body as ${types}.`))
  })
}

async function sendError(
  logger: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = readFrameworkError(error, {
    bodyLimitBytes: request.routeOptions?.bodyLimit,
    acceptsForms: request.routeOptions?.config?.acceptsForms,
  })
  if (problem.status >= 500)
    logger.error({ requestId: request.id, code: problem.code, cause: problem.cause ?? problem }, 'request failed')
  if (problem.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(problem.retryAfterMs / 1000)))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  reply
    .header('x-request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .status(problem.status)
  return await reply.send(JSON.stringify(errorBody(problem, request.id, isCallRoute(request.url))))
}

const MALFORMED: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['uri_too_long', 'The request line and headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['invalid_request', 'The request took too long to arrive.'],
}

/** Bytes that are not HTTP never reach a route: answered on the socket in the same form, then closed. */
function refuseMalformedHttp(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  // Node keeps the answer under way here: writing into the middle of it would corrupt it.
  const { _httpMessage: answering } = socket as { _httpMessage?: { headersSent: boolean } | null }
  if (!socket.writable || error.code === 'ECONNRESET' || answering?.headersSent === true) {
    socket.destroy()
    return
  }
  const [code, message] = MALFORMED[error.code ?? ''] ?? ['invalid_request', 'The request is not valid HTTP.']
  const problem = new AppError(code, message)
  const body = JSON.stringify(errorBody(problem, requestId, false))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
