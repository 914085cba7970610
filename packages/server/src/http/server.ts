import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '@parley/contract/errors'
import type { Clock, MakeId } from '@parley/engine/ports'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/work/background.ts'
import type { Admission } from './admission.ts'
import { compressJson } from './compression.ts'
import type { Metrics } from './metrics.ts'
import { buildErrorBody, createInvalidRequestError, isCallRoute, toFrameworkAppError } from './problems.ts'
import { isSentOverHttps } from './request-context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    routeMethods: RouteMethods
    /** Handles unknown routes. Resolves to null to use the API's own 404 response. */
    handleUnknownRoute: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | null>) | null
  }
  interface FastifyRequest {
    admission: Admission | null
    startedAt: number
  }
}

/**
 * Skips Fastify's schema compilers, because the contract validates requests and loading them takes about 35 ms.
 */
const NO_SCHEMAS = { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } }

function rejectSchema(): never {
  throw new Error('Routes do not accept Fastify schemas; describe the operation in the contract.')
}

/** Longer URLs are rejected with 414. */
const MAX_URL_LENGTH = 8192
const MAX_HEADER_BYTES = 32 * 1024
/** Maximum time to receive a request. */
const REQUEST_TIMEOUT_MS = 60_000
/** Excludes subdomains, which can belong to other people. */
const HSTS = 'max-age=31536000'

export interface HttpServerOptions {
  readonly clock: Clock
  readonly makeId: MakeId
  readonly logger: Logger
  readonly metrics: Metrics
  readonly trustProxy: boolean | string
  /** Whether browsers use HTTPS, even if the proxy connects over HTTP. */
  readonly isPublicHttps?: boolean
}

/**
 * Creates a Fastify instance with request ids, body parsing, error format, logging and limits. `createApi` mounts the
 * operations.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const fastify = Fastify({
    schemaController: NO_SCHEMAS,
    logger: false,
    trustProxy: options.trustProxy,
    genReqId: () => options.makeId('req'),
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A hook rejects requests without a Host header, because Node's response has no body.
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      // Ignores offers to upgrade to other protocols, such as `h2c`.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
    } as object,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    // A hook responds instead.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendError(options.logger, error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => rejectMalformedHttp(error, socket, options.makeId('req')),
  })
  fastify.decorate('routeMethods', new RouteMethods())
  fastify.decorate('handleUnknownRoute', null)
  fastify.decorateRequest('admission', null)
  fastify.decorateRequest('startedAt', 0)
  registerJsonParser(fastify)
  addHooks(fastify, options)
  compressJson(fastify)
  // Ignores unknown expectations instead of rejecting them with an empty response.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response))
  fastify.setErrorHandler((error, request, reply) => {
    // Keeps the connection open, so that clients can finish sending the body and read the error.
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
  let isClosing = false
  fastify.addHook('preClose', async () => {
    isClosing = true
  })
  fastify.addHook('onRequest', async (request, reply) => {
    request.startedAt = clock.now()
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (isSentOverHttps(request, isPublicHttps)) reply.header('strict-transport-security', HSTS)
    // Responses contain tokens and personal data. Cacheable responses override this header.
    reply.header('cache-control', 'no-store')
    if (isClosing)
      throw new AppError('unavailable', 'The server is stopping; try again shortly.', { retryAfterMs: 1000 })
    if (request.url.length > MAX_URL_LENGTH)
      throw new AppError('uri_too_long', `The URL is longer than ${MAX_URL_LENGTH} characters.`)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError('invalid_request', 'The request has no Host header.')
    }
    // Checked in this hook, so that the server ignores the body of an unknown route.
    if (request.is404) {
      const allow = fastify.routeMethods.getAllowedMethods(request.url.split('?', 1)[0] ?? '')
      if (allow !== null) {
        reply.header('allow', allow)
        throw new AppError('method_not_allowed', `This path supports only ${allow}.`)
      }
      const fallbackReply = (await fastify.handleUnknownRoute?.(request, reply)) ?? null
      if (fallbackReply !== null) return fallbackReply
      throw new AppError('not_found', 'Nothing exists at this path. GET /openapi.json lists every operation.')
    }
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const durationMs = clock.now() - request.startedAt
    // Uses the route pattern, because URLs can contain personal data.
    const route = request.routeOptions.url ?? 'unknown'
    metrics.countRequest({ method: request.method, route, status: reply.statusCode, durationMs })
    logger.info(
      { requestId: request.id, method: request.method, route, status: reply.statusCode, durationMs },
      'request',
    )
  })
}

/** Registers a parser that only accepts JSON. An empty body counts as absent for any content type. */
function registerJsonParser(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i,
    { parseAs: 'string' },
    (_request, body, done) => {
      if (body === '') return done(null, undefined)
      try {
        done(null, JSON.parse(body as string))
      } catch {
        done(createInvalidRequestError([{ path: '', message: 'is not valid JSON' }]))
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
  const appError = toFrameworkAppError(error, {
    bodyLimitBytes: request.routeOptions?.bodyLimit,
    acceptsForms: request.routeOptions?.config?.acceptsForms,
  })
  if (appError.status >= 500)
    logger.error({ requestId: request.id, code: appError.code, cause: appError.cause ?? appError }, 'request failed')
  if (appError.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(appError.retryAfterMs / 1000)))
  if (appError.status === 401) reply.header('www-authenticate', 'Bearer')
  reply
    .header('x-request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .status(appError.status)
  return await reply.send(JSON.stringify(buildErrorBody(appError, request.id, isCallRoute(request.url))))
}

const MALFORMED_HTTP_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['uri_too_long', 'The request line and headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['invalid_request', 'The request took too long to arrive.'],
}

/** Responds to malformed HTTP on the socket, then closes the socket. */
function rejectMalformedHttp(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  // Node is sending a response. Writing to the socket would corrupt it.
  const { _httpMessage: pendingResponse } = socket as { _httpMessage?: { headersSent: boolean } | null }
  if (!socket.writable || error.code === 'ECONNRESET' || pendingResponse?.headersSent === true) {
    socket.destroy()
    return
  }
  const [code, message] = MALFORMED_HTTP_ERRORS[error.code ?? ''] ?? [
    'invalid_request',
    'The request is not valid HTTP.',
  ]
  const appError = new AppError(code, message)
  const body = JSON.stringify(buildErrorBody(appError, requestId, false))
  const head = [
    `HTTP/1.1 ${appError.status} ${STATUS_CODES[appError.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** HTTP methods of each API path, used for 405 responses if no route matches. */
export class RouteMethods {
  /** Path templates by number of segments. A segment in braces matches any text. */
  readonly #templates = new Map<
    number,
    Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>
  >()

  /** Adds a route in the contract's notation. */
  add(path: string, method: string): void {
    const segments = splitPath(path)
    const templates = this.#templates.get(segments.length) ?? new Map()
    this.#templates.set(segments.length, templates)
    const template = templates.get(path) ?? { segments, methods: new Set() }
    templates.set(path, template)
    template.methods.add(method)
    if (method === 'GET') template.methods.add('HEAD')
  }

  /** Returns the allowed methods of a path in `Allow` format, or null if the path is not part of the API. */
  getAllowedMethods(path: string): string | null {
    const pathSegments = splitPath(path)
    for (const { segments, methods } of this.#templates.get(pathSegments.length)?.values() ?? []) {
      if (segments.every((segment, index) => segment.startsWith('{') || segment === pathSegments[index])) {
        return [...methods].join(', ')
      }
    }
    return null
  }
}

/** Splits a path into segments and ignores a trailing slash. */
function splitPath(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

const IDLE_SWEEP_MS = 250

/**
 * Stops accepting requests, lets running requests finish until the deadline, then closes. Also closes
 * connections that become idle in the meantime, because Fastify would wait for them forever.
 */
export async function stopServer(fastify: FastifyInstance, clock: Clock, deadlineMs: number): Promise<void> {
  const { server } = fastify
  let cancelSweep = (): void => {}
  const sweep = (): void => {
    server.closeIdleConnections()
    cancelSweep = clock.after(IDLE_SWEEP_MS, sweep)
  }
  const cancelDeadline = clock.after(deadlineMs, () => server.closeAllConnections())
  try {
    const closePromise = fastify.close()
    sweep()
    await closePromise
  } finally {
    cancelSweep()
    cancelDeadline()
  }
}
