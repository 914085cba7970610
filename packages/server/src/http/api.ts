import { tmpdir } from 'node:os'
import { listPaths, type Operation, takesIdempotencyKey } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessWatch } from '../kernel/access/actor-context.ts'
import { type Api, ByteContent, EventStream, JsonText, type RequestContext } from '../kernel/api/implement.ts'
import type { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/work/background.ts'
import {
  type Admission,
  type AdmissionDependencies,
  checkWorkspace,
  createAdmission,
  isStillAdmitted,
  PUBLIC_ADMISSION,
  recheckAdmission,
} from './admission.ts'
import { EVENT_STREAM_TYPE, type EventStreamOptions, sendEventStream } from './event-stream.ts'
import { addFormRoute, createFormHandler, type ReceivedForm } from './form-request.ts'
import {
  type Idempotency,
  type IdempotentRequest,
  type KeyLease,
  readIdempotencyKey,
  type StoredResponse,
} from './idempotency.ts'
import { buildErrorBody, isCallRoute, toAppError } from './problems.ts'
import { createRequestReader, type ParsedRequest, readWorkspaceOutsideBody } from './read-request.ts'
import { createRecorder, type Recorder, type RecorderDependencies } from './record-request.ts'
import { createRequestContext, readLastEventId } from './request-context.ts'
import { sendBytes } from './send-bytes.ts'
import { createUploadFolder, type UploadFolder } from './upload-folder.ts'

export interface ApiDependencies extends AdmissionDependencies, RecorderDependencies {
  readonly fastify: FastifyInstance
  readonly clock: Clock
  readonly idempotency: Idempotency
  /** Closes event streams if their credential loses access. */
  readonly accessWatch: Pick<AccessWatch, 'watch'>
  readonly logger: Pick<Logger, 'error'>
  /** Validates every response in tests. A production server trusts the types. */
  readonly validateResponses: boolean
  /** Storage for uploads; defaults to a temporary folder. */
  readonly uploads?: UploadFolder
}

type AnyHandler = (input: never, context: RequestContext) => Promise<unknown>

const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_IGNORED_NAMES = 20
const MAX_IGNORED_BYTES = 1024
const NO_ITEMS: readonly never[] = []
/** Workspace ids are never 0. */
const NO_WORKSPACE = 0

/**
 * Creates the API. It mounts operations on Fastify with access checks, rate limits, validation, idempotency and response
 * formatting.
 */
export function createApi(dependencies: ApiDependencies): Api {
  const { fastify, logger } = dependencies
  const logError = (cause: unknown): void => logger.error({ cause }, 'failed to remove uploaded files')
  const uploads = dependencies.uploads ?? createUploadFolder({ path: tmpdir(), logError })
  return {
    add(operation, handler) {
      const recorder = createRecorder(dependencies, operation)
      const onRequest = recordRejections(recorder, createAdmission(dependencies, operation))
      const serve = createRoute(dependencies, { operation, handler, recorder })
      const admit = (request: FastifyRequest) => admitBeforeBody(dependencies, operation, request)
      const handleRequest =
        operation.upload === undefined ? serve : createFormHandler({ operation, uploads, admit, serve })
      const handleRoute = recordRejections(recorder, handleRequest)
      for (const path of listPaths(operation)) {
        const url = path.replace(/\{(\w+)\}/g, ':$1')
        fastify.routeMethods.add(path, operation.method)
        const { bodyLimitBytes = BODY_LIMIT_BYTES } = operation
        const route = { method: operation.method, url, bodyLimit: bodyLimitBytes, onRequest, handler: handleRoute }
        if (operation.upload === undefined) fastify.route(route)
        else addFormRoute(fastify, route)
      }
    },
  }
}

/** Wraps a handler so that rejected requests with context headers appear in the audit log. */
function recordRejections<Result>(
  recorder: Recorder,
  handleRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<Result>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Result> {
  return async (request, reply) => {
    try {
      return await handleRequest(request, reply)
    } catch (error) {
      await recorder.recordRejected(request, error)
      throw error
    }
  }
}

interface Route {
  readonly operation: Operation
  readonly handler: AnyHandler
  readonly recorder: Recorder
}

function createRoute(dependencies: ApiDependencies, { operation, handler, recorder }: Route) {
  const readRequest = createRequestReader(operation)
  // Completions implement their own idempotency: a retry attaches to the running turn.
  const isEventStream = operation.features?.includes('event-stream') === true
  const acceptsIdempotencyKey = takesIdempotencyKey(operation)

  return async (request: FastifyRequest, reply: FastifyReply, form?: ReceivedForm): Promise<FastifyReply> => {
    const { claims } = request.admission ?? PUBLIC_ADMISSION
    const key = acceptsIdempotencyKey ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const headerWorkspaceId = claims?.workspaceId ?? null
    const { body, problems, uploads } = form ?? { body: request.body, problems: NO_ITEMS, uploads: NO_ITEMS }
    const parsedRequest = readRequest({
      path: request.params,
      query: request.query,
      body,
      problems,
      workspaceHeader: headerWorkspaceId,
    })
    const { workspaceId } = parsedRequest
    const admission = await admitToWorkspace(dependencies, operation, { request, workspaceId })
    const { actor } = admission
    if (parsedRequest.ignored.length > 0) setIgnoredFields(reply, parsedRequest.ignored)
    let auditWorkspaceId: number | null = null
    const context = createRequestContext(request, reply, {
      actor,
      workspaceId: workspaceId ?? NO_WORKSPACE,
      key,
      lastEventId: isEventStream ? readLastEventId(request.headers['last-event-id']) : null,
      uploads,
      isPublicHttps: dependencies.isPublicHttps,
      setAuditWorkspace: (id) => {
        auditWorkspaceId = id
      },
    })
    const watchAccess: Exchange['watchAccess'] = (onLost) =>
      dependencies.accessWatch.watch({
        credentialId: actor.credentialId,
        isAllowed: (credentialActor) =>
          isStillAdmitted(dependencies, operation, {
            request,
            credentialActor,
            workspaceId: workspaceId ?? auditWorkspaceId,
          }),
        onLost,
      })
    const exchange: Exchange = { dependencies, operation, request, reply, watchAccess }
    const runHandler = async () => {
      const result = await callHandler(handler, parsedRequest, context)
      await form?.removeFiles()
      await recorder.recordCompleted(request, admission, {
        workspaceId: auditWorkspaceId ?? workspaceId ?? headerWorkspaceId,
        result,
      })
      return result
    }
    if (key === null || isEventStream) return sendResult(exchange, await runHandler())
    const idempotentRequest: IdempotentRequest = {
      actor,
      claims,
      workspaceId,
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      key,
      body: [form?.identity ?? request.body, request.query],
    }
    return await runOnce(exchange, idempotentRequest, runHandler)
  }
}

/** Calls the handler. Converts errors other than `AppError` into internal errors without their message. */
async function callHandler(
  handler: AnyHandler,
  parsedRequest: ParsedRequest,
  context: RequestContext,
): Promise<unknown> {
  try {
    return await handler(parsedRequest.input as never, context)
  } catch (error) {
    throw toAppError(error)
  }
}

interface Exchange {
  readonly dependencies: ApiDependencies
  readonly operation: Operation
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly watchAccess: EventStreamOptions['watchAccess']
}

/** Runs a request with an idempotency key. Stores the response or error before sending it. */
async function runOnce(
  exchange: Exchange,
  idempotentRequest: IdempotentRequest,
  run: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { request, reply, operation } = exchange
  const { idempotency } = exchange.dependencies
  const keyClaim = await idempotency.acquire(idempotentRequest)
  if (keyClaim.kind === 'stored') return await replay(reply, keyClaim.response)
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    const appError = toAppError(error)
    const body = JSON.stringify(buildErrorBody(appError, request.id, isCallRoute(request.url)))
    const storedResponse = isRetryableError(appError) ? null : { status: appError.status, headers: {}, body }
    await storeResponse(exchange, idempotentRequest, { lease: keyClaim.lease, response: storedResponse })
    throw appError
  }
  const etag = reply.getHeader('etag')
  const headers = etag === undefined ? {} : { etag: String(etag) }
  const body = String(serializeResult(result))
  // The work is done. If a storage failure were reported, the client would repeat the work.
  await storeResponse(exchange, idempotentRequest, {
    lease: keyClaim.lease,
    response: { status: operation.status, headers, body },
  })
  return sendResult(exchange, result === undefined ? result : new JsonText(body))
}

/** Whether a retry can succeed. Retryable errors are not stored, because retries would receive them again for a day. */
function isRetryableError({ code, retryAfterMs }: AppError): boolean {
  return retryAfterMs !== undefined || code === 'reauthentication_required'
}

/** Stores the response under the idempotency key. If storing fails, the key becomes free when its lease expires. */
async function storeResponse(
  { dependencies, request }: Exchange,
  idempotentRequest: IdempotentRequest,
  { lease, response }: { lease: KeyLease; response: StoredResponse | null },
): Promise<void> {
  try {
    await dependencies.idempotency.finish(idempotentRequest, lease, response)
  } catch (error) {
    dependencies.logger.error(
      { requestId: request.id, cause: error },
      'failed to store the response for an idempotency key',
    )
  }
}

async function replay(reply: FastifyReply, response: StoredResponse): Promise<FastifyReply> {
  reply.headers(response.headers).header('idempotent-replayed', 'true').status(response.status)
  if (response.body === '') return await reply.send()
  return await reply.header('content-type', JSON_TYPE).send(response.body)
}

interface RequestedWorkspace {
  readonly request: FastifyRequest
  readonly workspaceId: number | null
}

/**
 * Rejects inaccessible workspaces. Refreshes the cache first, because another node may have just created the workspace.
 */
async function admitToWorkspace(
  dependencies: AdmissionDependencies,
  operation: Operation,
  { request, workspaceId }: RequestedWorkspace,
): Promise<Admission> {
  const { access } = operation
  const admission = request.admission ?? PUBLIC_ADMISSION
  if (workspaceId === null || access === 'public' || access === 'session') return admission
  if (admission.credentialActor.workspaces.has(workspaceId) || !(await dependencies.renewAccess())) {
    checkWorkspace(admission, access, workspaceId)
    return admission
  }
  const refreshedAdmission = await recheckAdmission(dependencies, operation, request)
  checkWorkspace(refreshedAdmission, access, workspaceId)
  return refreshedAdmission
}

/** Rejects uploads to inaccessible workspaces before reading the body, unless only the body names the workspace. */
async function admitBeforeBody(
  dependencies: AdmissionDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<void> {
  const { params: path, query, admission } = request
  const workspaceHeader = admission?.claims?.workspaceId ?? null
  const workspaceId = readWorkspaceOutsideBody(operation, { path, query, workspaceHeader })
  await admitToWorkspace(dependencies, operation, { request, workspaceId })
}

/** Lists ignored fields in a response header. Percent-encodes the names and skips names that do not fit. */
function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  const encodedNames: string[] = []
  let sizeBytes = 0
  for (const name of names) {
    if (encodedNames.length === MAX_IGNORED_NAMES) break
    if (sizeBytes + name.length > MAX_IGNORED_BYTES) continue
    const item = encodeURIComponent(name.toWellFormed())
    if (sizeBytes + item.length > MAX_IGNORED_BYTES) continue
    encodedNames.push(item)
    sizeBytes += item.length + ', '.length
  }
  if (encodedNames.length > 0) reply.header('x-ignored-fields', encodedNames.join(', '))
}

/** Converts a handler result into the response body. */
function serializeResult(result: unknown): string | Buffer {
  if (result === undefined) return ''
  return result instanceof JsonText ? result.content : JSON.stringify(result)
}

function sendResult(exchange: Exchange, result: unknown): FastifyReply {
  const { dependencies, operation, request, reply, watchAccess } = exchange
  if (result instanceof EventStream) {
    if (request.method === 'HEAD') return reply.header('content-type', EVENT_STREAM_TYPE).send()
    const headers = reply.getHeaders() as Record<string, string>
    sendEventStream(reply.raw, result, { headers, clock: dependencies.clock, watchAccess })
    return reply.hijack()
  }
  if (result instanceof ByteContent) return sendBytes(request, reply, result)
  if (dependencies.validateResponses)
    operation.result?.parse(result instanceof JsonText ? JSON.parse(String(result.content)) : result)
  reply.status(operation.status)
  if (result === undefined) return reply.send()
  return reply.header('content-type', JSON_TYPE).send(serializeResult(result))
}
