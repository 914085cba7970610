import type { Clock, HttpToolCall, HttpToolClient, HttpToolOutcome } from '@parley/engine/ports'
import { signatureHeader } from '../../kernel/security/signature.ts'
import { raceAbort } from '../../platform/outbound/deadline.ts'
import type { OutboundFailure, OutboundOutcome, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { responseText, textStart } from './response-text.ts'
import { buildToolRequest, type ToolRequest } from './tool-request.ts'
import { retryPauseMs } from './tool-retry.ts'

export interface HttpToolClientDependencies {
  /** The guarded client's. */
  readonly request: SendOutbound
  /** Active signing secrets of a workspace, at least one. */
  readonly secretsFor: (workspaceId: number) => Promise<readonly string[]>
  readonly clock: Clock
  /** Of the product, for `User-Agent`. */
  readonly version: string
}

/** Makes the tool clients of all workspaces. */
export interface HttpToolClients {
  forWorkspace(workspaceId: number): HttpToolClient
}

/** A larger answer fails: what a model sees is cut far below this, and the rest must be stored. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Of an error's body, for the model to react to. */
const MAX_ERROR_BODY_CHARACTERS = 2000

/** Sends custom tools: signed with the workspace's secrets, retried, and only to targets that the guard allows. */
export function createHttpToolClient(dependencies: HttpToolClientDependencies): HttpToolClients {
  return {
    forWorkspace: (workspaceId) => ({ call: (call) => sendTool(call, workspaceId, dependencies) }),
  }
}

/** An outcome before it is known how long everything took. */
type Settled =
  | { readonly ok: true; readonly status: number; readonly bodyText: string }
  | Omit<Extract<HttpToolOutcome, { ok: false }>, 'durationMs'>

async function sendTool(
  call: HttpToolCall,
  workspaceId: number,
  dependencies: HttpToolClientDependencies,
): Promise<HttpToolOutcome> {
  const startedAtMs = dependencies.clock.now()
  const settled = await settle(call, workspaceId, dependencies).catch(
    // Nothing of the error is told: it comes from inside the platform, such as its database.
    (): Settled => failure('network', 'The tool could not be called because of an internal error.'),
  )
  // An answer that came before the cancellation stands: the tool has done its work.
  const isCancelled = call.signal.aborted && !settled.ok
  const outcome = isCancelled ? failure('cancelled', 'The tool call was cancelled.') : settled
  return { ...outcome, durationMs: dependencies.clock.now() - startedAtMs }
}

async function settle(
  call: HttpToolCall,
  workspaceId: number,
  { request, secretsFor, clock, version }: HttpToolClientDependencies,
): Promise<Settled> {
  const toolRequest = buildToolRequest(call, `Parley/${version}`)
  if (toolRequest === null) return failure('network', "The tool's address is not a valid URL.")
  const secrets = await raceAbort(secretsFor(workspaceId), call.signal)
  // An unsigned request would teach receivers to accept unsigned requests.
  if (secrets.length === 0) return failure('network', 'The tool could not be called because it could not be signed.')
  for (let attempts = 1; ; attempts++) {
    const outcome = await request(
      attemptRequest(call, toolRequest, signatureHeader(secrets, toolRequest.body, clock.now())),
    )
    const pauseMs = retryPauseMs(outcome, { attempts, maxRetry: call.maxRetry, nowMs: clock.now() })
    if (pauseMs === null || call.signal.aborted) return readOutcome(outcome)
    await pause(pauseMs, clock, call.signal)
  }
}

function attemptRequest(
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

function readOutcome(outcome: OutboundOutcome): Settled {
  if (!outcome.ok) return { ok: false, ...reasonForModel(outcome), status: outcome.status }
  const bodyText = responseText(outcome.body, outcome.headers['content-type'])
  if (outcome.status >= 200 && outcome.status <= 299) return { ok: true, status: outcome.status, bodyText }
  const shown = textStart(bodyText, MAX_ERROR_BODY_CHARACTERS)
  const message = `The tool answered with status ${outcome.status}${shown === '' ? '.' : `: ${shown}`}`
  return { ok: false, reason: 'http-status', status: outcome.status, message }
}

function reasonForModel({
  reason,
  message,
}: OutboundFailure): Pick<Extract<Settled, { ok: false }>, 'reason' | 'message'> {
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

function failure(reason: Extract<Settled, { ok: false }>['reason'], message: string): Settled {
  return { ok: false, reason, status: null, message }
}

/** Resolves after the pause or as soon as the call is cancelled. */
function pause(pauseMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancelTimer = clock.after(pauseMs, end)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
}
