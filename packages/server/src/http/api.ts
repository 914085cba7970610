import { tmpdir } from 'node:os'
import { listPaths, type Operation, takesIdempotencyKey } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessWatch } from '../kernel/access/actor-context.ts'
import { type Api, ByteContent, EventStream, JsonText, type RequestContext } from '../kernel/api/implement.ts'
import type { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/work/background.ts'
import {
  type AdmissionDependencies,
  type Admitted,
  checkWorkspace,
  createAdmission,
  isStillAdmitted,
  PUBLIC,
  recheckAdmission,
} from './admission.ts'
import { EVENT_STREAM_TYPE, type EventStreamOptions, sendEventStream } from './event-stream.ts'
import { addFormRoute, type ReceivedForm, withForms } from './form-request.ts'
import {
  type Idempotency,
  type IdempotentRequest,
  type KeyLease,
  readIdempotencyKey,
  type StoredAnswer,
} from './idempotency.ts'
import { buildErrorBody, isCallRoute, toAppError } from './problems.ts'
import { createRequestReader, type ReadInput, readWorkspaceOutsideBody } from './read-request.ts'
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
const NOTHING: readonly never[] = []
/** Workspace ids are never 0. */
const NO_WORKSPACE = 0

/**
 * Creates the API, which mounts operations on Fastify with access checks, limits, validation, idempotency and response formats.
 */
export function createApi(dependencies: ApiDependencies): Api {
  const { fastify, logger } = dependencies
  const logError = (cause: unknown): void => logger.error({ cause }, 'files of a request were not removed')
  const uploads = dependencies.uploads ?? createUploadFolder({ path: tmpdir(), logError })
  return {
    add(operation, handler) {
      const recorder = createRecorder(dependencies, operation)
      const onRequest = recordRejections(recorder, createAdmission(dependencies, operation))
      const serve = createRoute(dependencies, { operation, handler, recorder })
      const admit = (request: FastifyRequest) => admitBeforeBody(dependencies, operation, request)
      const work = operation.upload === undefined ? serve : withForms({ operation, uploads, admit, serve })
      const run = recordRejections(recorder, work)
      for (const path of listPaths(operation)) {
        const url = path.replace(/\{(\w+)\}/g, ':$1')
        fastify.routeMethods.add(path, operation.method)
        const { bodyLimitBytes = BODY_LIMIT_BYTES } = operation
        const route = { method: operation.method, url, bodyLimit: bodyLimitBytes, onRequest, handler: run }
        if (operation.upload === undefined) fastify.route(route)
        else addFormRoute(fastify, route)
      }
    },
  }
}

/** Runs the action and records rejected uses of context headers in the audit log. */
function recordRejections<Result>(
  recorder: Recorder,
  work: (request: FastifyRequest, reply: FastifyReply) => Promise<Result>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Result> {
  return async (request, reply) => {
    try {
      return await work(request, reply)
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
  const read = createRequestReader(operation)
  // Completions implement their own idempotency: a retry attaches to the running turn.
  const streams = operation.features?.includes('event-stream') === true
  const acceptsIdempotencyKey = takesIdempotencyKey(operation)

  return async (request: FastifyRequest, reply: FastifyReply, form?: ReceivedForm): Promise<FastifyReply> => {
    const { claims } = request.admitted ?? PUBLIC
    const key = acceptsIdempotencyKey ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const named = claims?.workspaceId ?? null
    const { body, problems, uploads } = form ?? { body: request.body, problems: NOTHING, uploads: NOTHING }
    const found = read({ path: request.params, query: request.query, body, problems, workspaceHeader: named })
    const { workspaceId } = found
    const admitted = await admitToWorkspace(dependencies, operation, { request, workspaceId })
    const { actor } = admitted
    if (found.ignored.length > 0) setIgnoredFields(reply, found.ignored)
    let auditWorkspaceId: number | null = null
    const context = createRequestContext(request, reply, {
      actor,
      workspaceId: workspaceId ?? NO_WORKSPACE,
      key,
      lastEventId: streams ? readLastEventId(request.headers['last-event-id']) : null,
      uploads,
      isPublicHttps: dependencies.isPublicHttps,
      setAuditWorkspace: (id) => {
        auditWorkspaceId = id
      },
    })
    const watchAccess: Exchange['watchAccess'] = (onLost) =>
      dependencies.accessWatch.watch({
        credentialId: actor.credentialId,
        isAllowed: (base) =>
          isStillAdmitted(dependencies, operation, { request, base, workspaceId: workspaceId ?? auditWorkspaceId }),
        onLost,
      })
    const exchange: Exchange = { dependencies, operation, request, reply, watchAccess }
    const run = async () => {
      const result = await handle(handler, found, context)
      await form?.removeFiles()
      await recorder.recordCompleted(request, admitted, {
        workspaceId: auditWorkspaceId ?? workspaceId ?? named,
        answer: result,
      })
      return result
    }
    if (key === null || streams) return sendResult(exchange, await run())
    const claim: IdempotentRequest = {
      actor,
      claims,
      workspaceId,
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      key,
      body: [form?.identity ?? request.body, request.query],
    }
    return await runOnce(exchange, claim, run)
  }
}

/** Runs the handler and converts errors other than `AppError` into internal errors without their message. */
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
  readonly watchAccess: EventStreamOptions['watchAccess']
}

/** Runs a request with an idempotency key. Stores the response or error before sending it. */
async function runOnce(
  exchange: Exchange,
  claim: IdempotentRequest,
  run: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { request, reply, operation } = exchange
  const { idempotency } = exchange.dependencies
  const claimed = await idempotency.acquire(claim)
  if (claimed.kind === 'stored') return await replay(reply, claimed.answer)
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    const refusal = toAppError(error)
    const body = JSON.stringify(buildErrorBody(refusal, request.id, isCallRoute(request.url)))
    const kept = isRetryableError(refusal) ? null : { status: refusal.status, headers: {}, body }
    await storeResponse(exchange, claim, { lease: claimed.lease, answer: kept })
    throw refusal
  }
  const etag = reply.getHeader('etag')
  const headers = etag === undefined ? {} : { etag: String(etag) }
  const body = String(serializeResult(result))
  // The work is done. If a storage failure were reported, the client would repeat the work.
  await storeResponse(exchange, claim, { lease: claimed.lease, answer: { status: operation.status, headers, body } })
  return sendResult(exchange, result === undefined ? result : new JsonText(body))
}

/** Whether a retry can succeed. Retryable errors are not stored, because retries would receive them again for a day. */
function isRetryableError({ code, retryAfterMs }: AppError): boolean {
  return retryAfterMs !== undefined || code === 'reauthentication_required'
}

/** Stores the response under the idempotency key. If storing fails, the key becomes free when its lease expires. */
async function storeResponse(
  { dependencies, request }: Exchange,
  claim: IdempotentRequest,
  { lease, answer: sendResult }: { lease: KeyLease; answer: StoredAnswer | null },
): Promise<void> {
  try {
    await dependencies.idempotency.finish(claim, lease, sendResult)
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

interface NamedWorkspace {
  readonly request: FastifyRequest
  readonly workspaceId: number | null
}

/** Rejects inaccessible workspaces. Refreshes the cache first, because another node may have just created the workspace. */
async function admitToWorkspace(
  dependencies: AdmissionDependencies,
  operation: Operation,
  { request, workspaceId }: NamedWorkspace,
): Promise<Admitted> {
  const { access } = operation
  const admitted = request.admitted ?? PUBLIC
  if (workspaceId === null || access === 'public' || access === 'session') return admitted
  if (admitted.base.workspaces.has(workspaceId) || !(await dependencies.renewAccess())) {
    checkWorkspace(admitted, access, workspaceId)
    return admitted
  }
  const again = await recheckAdmission(dependencies, operation, request)
  checkWorkspace(again, access, workspaceId)
  return again
}

/** Rejects uploads to inaccessible workspaces before reading the body, unless only the body names the workspace. */
async function admitBeforeBody(
  dependencies: AdmissionDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<void> {
  const { params: path, query, admitted } = request
  const workspaceHeader = admitted?.claims?.workspaceId ?? null
  const workspaceId = readWorkspaceOutsideBody(operation, { path, query, workspaceHeader })
  await admitToWorkspace(dependencies, operation, { request, workspaceId })
}

/** Lists ignored fields in a response header. Percent-encodes the names and skips names that do not fit. */
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
