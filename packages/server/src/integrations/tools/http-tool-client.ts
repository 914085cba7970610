import type { Clock, HttpToolCall, HttpToolClient, HttpToolOutcome, JsonObject, JsonValue } from '@parley/engine/ports'
import { buildSignatureHeader } from '../../kernel/security/signature.ts'
import { raceAbort } from '../../platform/outbound/deadline.ts'
import type { OutboundFailure, OutboundOutcome, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { formatResponseText, truncateAtCharacter } from './response-text.ts'
import { getRetryPauseMs } from './tool-retry.ts'

export interface HttpToolClientDependencies {
  /** Sends a request through the guard. */
  readonly request: SendOutbound
  /** Returns the active signing secrets of a workspace, at least one. */
  readonly readSecrets: (workspaceId: number) => Promise<readonly string[]>
  readonly clock: Clock
  /** Product version for `User-Agent`. */
  readonly version: string
}

/** Creates the tool client of each workspace. */
export interface HttpToolClients {
  forWorkspace(workspaceId: number): HttpToolClient
}

/** Maximum response size. Models see far less, but the whole response is stored. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Maximum length of an error body for the model. */
const MAX_ERROR_BODY_CHARACTERS = 2000

/**
 * Creates the client that calls custom tools. Requests are signed with the workspace's secrets, retried, and sent only to
 * targets that the guard allows.
 */
export function createHttpToolClient(dependencies: HttpToolClientDependencies): HttpToolClients {
  return {
    forWorkspace: (workspaceId) => ({ call: (call) => callTool(call, workspaceId, dependencies) }),
  }
}

/** Outcome of a call without its duration. */
type CallResult =
  | { readonly ok: true; readonly status: number; readonly bodyText: string }
  | Omit<Extract<HttpToolOutcome, { ok: false }>, 'durationMs'>

async function callTool(
  call: HttpToolCall,
  workspaceId: number,
  dependencies: HttpToolClientDependencies,
): Promise<HttpToolOutcome> {
  const startedAtMs = dependencies.clock.now()
  const result = await callWithRetries(call, workspaceId, dependencies).catch(
    // Hides internal errors.
    (): CallResult => createFailure('network', 'The tool could not be called because of an internal error.'),
  )
  // A response before the cancellation counts, because the tool has done its work.
  const isCancelled = call.signal.aborted && !result.ok
  const outcome = isCancelled ? createFailure('cancelled', 'The tool call was cancelled.') : result
  return { ...outcome, durationMs: dependencies.clock.now() - startedAtMs }
}

async function callWithRetries(
  call: HttpToolCall,
  workspaceId: number,
  { request, readSecrets, clock, version }: HttpToolClientDependencies,
): Promise<CallResult> {
  const toolRequest = buildToolRequest(call, `Parley/${version}`)
  if (toolRequest === null) return createFailure('network', "The tool's address is not a valid URL.")
  const secrets = await raceAbort(readSecrets(workspaceId), call.signal)
  // Sending unsigned requests could lead receivers to accept them.
  if (secrets.length === 0)
    return createFailure('network', 'The tool could not be called because the request could not be signed.')
  for (let attempts = 1; ; attempts++) {
    const outcome = await request(
      buildAttempt(call, toolRequest, buildSignatureHeader(secrets, toolRequest.body, clock.now())),
    )
    const pauseMs = getRetryPauseMs(outcome, { attempts, maxRetry: call.maxRetry, nowMs: clock.now() })
    if (pauseMs === null || call.signal.aborted) return toCallResult(outcome)
    await waitForPause(pauseMs, clock, call.signal)
  }
}

function buildAttempt(
  call: HttpToolCall,
  { url, headers, body }: ToolRequest,
  signature: string,
): Parameters<SendOutbound>[0] {
  return {
    url,
    method: call.method,
    headers: { ...headers, 'x-webhook-signature': signature },
    body: call.method === 'GET' || call.method === 'DELETE' ? undefined : body,
    signal: call.signal,
    timeoutMs: call.timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  }
}

function toCallResult(outcome: OutboundOutcome): CallResult {
  if (!outcome.ok) return { ok: false, ...toFailureReason(outcome), status: outcome.status }
  const bodyText = formatResponseText(outcome.body, outcome.headers['content-type'])
  if (outcome.status >= 200 && outcome.status <= 299) return { ok: true, status: outcome.status, bodyText }
  const excerpt = truncateAtCharacter(bodyText, MAX_ERROR_BODY_CHARACTERS)
  const message = `The tool responded with status ${outcome.status}${excerpt === '' ? '.' : `: ${excerpt}`}`
  return { ok: false, reason: 'http-status', status: outcome.status, message }
}

function toFailureReason({
  reason,
  message,
}: OutboundFailure): Pick<Extract<CallResult, { ok: false }>, 'reason' | 'message'> {
  switch (reason) {
    case 'invalid-request':
    case 'too-many-redirects':
      return { reason: 'network', message }
    case 'timeout':
    case 'network':
    case 'blocked-target':
    case 'too-large':
    case 'cancelled':
      return { reason, message }
  }
}

function createFailure(reason: Extract<CallResult, { ok: false }>['reason'], message: string): CallResult {
  return { ok: false, reason, status: null, message }
}

/** Resolves after the pause or as soon as the call is canceled. */
function waitForPause(pauseMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancelTimer()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancelTimer = clock.after(pauseMs, finish)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })
}

/** The request of one attempt, without its signature. */
interface ToolRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for GET and DELETE. The signature covers exactly this text. */
  readonly body: string
}

/** Headers that tools cannot configure. */
const RESERVED_HEADERS = new Set(['x-webhook-signature', 'idempotency-key', 'content-length', 'host'])

/**
 * Builds the request of a tool call, or returns null for an invalid URL. GET and DELETE have no body: their arguments become
 * query parameters, and configured parameters take precedence.
 */
export function buildToolRequest(call: HttpToolCall, userAgent: string): ToolRequest | null {
  if (!URL.canParse(call.url)) return null
  const hasBody = call.method !== 'GET' && call.method !== 'DELETE'
  const parameters = hasBody ? call.queryParams : { ...buildQuery(call.args), ...call.queryParams }
  return {
    url: appendParameters(call.url, parameters),
    headers: buildHeaders(call, userAgent, hasBody),
    body: hasBody ? buildBody(call) : '',
  }
}

function buildHeaders(call: HttpToolCall, userAgent: string, hasBody: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  }
  if (hasBody) {
    headers['content-type'] = 'application/json'
  }
  for (const [name, value] of Object.entries(call.headers)) {
    if (!RESERVED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value
  }
  headers['idempotency-key'] = call.toolCallId
  return headers
}

function buildBody(call: HttpToolCall): string {
  return JSON.stringify(call.argsAtRoot ? call.args : { name: call.name, ...call.conversation, args: call.args })
}

function appendParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters)
  // Unchanged without parameters, because parsing would re-encode some characters.
  if (entries.length === 0) return url
  const result = new URL(url)
  for (const [name, value] of entries) result.searchParams.set(name, value)
  return result.href
}

/** Converts arguments to query parameters: scalars as text, lists and objects as JSON. Omits null and undefined. */
function buildQuery(args: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, formatParameter(value)]],
    ),
  )
}

function formatParameter(value: JsonValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
