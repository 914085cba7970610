import { createHash } from 'node:crypto'
import type { NewWebhookEvent, WebhookResponse } from './webhook-ports.ts'
import type { ListeningWebhook } from './webhook-store.ts'

/** The logged result of one attempt. */
export interface AttemptResult {
  readonly isDelivered: boolean
  /** Whether a retry would have the same result. */
  readonly isPermanentFailure: boolean
  readonly status: number | null
  /** Error message, or null if the event was delivered. */
  readonly error: string | null
  readonly responseBody: string
}

/** The next step for a delivery after an attempt. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly isBlocking: boolean }

/** Delays between attempts. */
const RETRY_DELAYS_MS: readonly number[] = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
/** After this many failures, later deliveries no longer wait for this one. */
const BLOCKING_ATTEMPTS = 3
const MAX_RESPONSE_CHARACTERS = 1000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HTTP_GONE = 410
/** Failures that retries cannot fix, because the URL causes them. */
const PERMANENT_FAILURE_REASONS: ReadonlySet<string> = new Set(['blocked-target', 'invalid-request'])

/** Evaluates a response. A 2xx status counts as delivered even if reading the body failed. */
export function evaluateResponse(response: WebhookResponse): AttemptResult {
  const { status } = response
  const responseBody = response.ok ? decodeBodyStart(response.body) : ''
  const isDelivered = status !== null && status >= 200 && status <= 299
  if (isDelivered) return { isDelivered, isPermanentFailure: false, status, error: null, responseBody }
  const isPermanentFailure = status === HTTP_GONE || (!response.ok && PERMANENT_FAILURE_REASONS.has(response.reason))
  const error = status === null ? (response.ok ? '' : response.message) : describeStatus(status)
  return { isDelivered, isPermanentFailure, status, error, responseBody }
}

/**
 * Decides whether to retry after an attempt. `tries` counts the attempts since the delivery was created or resent, including
 * this one.
 */
export function decideOutcome({ isDelivered, isPermanentFailure }: AttemptResult, tries: number): DeliveryOutcome {
  if (isDelivered) return { kind: 'delivered' }
  const afterMs = RETRY_DELAYS_MS[tries - 1]
  if (isPermanentFailure || afterMs === undefined) return { kind: 'failed' }
  return { kind: 'retry', afterMs, isBlocking: tries < BLOCKING_ATTEMPTS }
}

function describeStatus(status: number): string {
  if (status === HTTP_GONE) return 'The server responded with status 410 (Gone), so the event is not sent again.'
  if (!REDIRECTS.has(status)) return `The server responded with status ${status}.`
  return `The server responded with a redirect (status ${status}), which is not followed. Set the URL to its target.`
}

/** Decodes the start of a response body and removes characters that databases cannot store. */
function decodeBodyStart(body: Uint8Array): string {
  // A character has at most four bytes.
  const text = new TextDecoder().decode(body.subarray(0, MAX_RESPONSE_CHARACTERS * 4))
  return text.replaceAll('\0', '').slice(0, MAX_RESPONSE_CHARACTERS).toWellFormed()
}

/** An agent's webhook URL. */
interface AgentUrl {
  readonly url: string
  readonly timeoutMs: number
}

/** The recipients of an event, before the workspace's endpoints are looked up. */
export interface Audience {
  readonly addresses: readonly AgentUrl[]
  /** Whether the workspace's endpoints receive the event. */
  readonly endpoints: boolean
}

/** One recipient of an event. */
export interface EventTarget {
  /** Ordering key. Deliveries with the same target and subject are sent in order. */
  readonly target: string
  /** Endpoint id, or null for an agent's URL. */
  readonly webhookId: string | null
  readonly url: string
  readonly timeoutMs: number
}

/** Timeout of deliveries to endpoints. Agents configure their own timeout. */
const ENDPOINT_TIMEOUT_MS = 10_000

/**
 * Decides who receives an event. If an agent has a URL, its events go there instead of to the workspace's endpoints. Events
 * without an agent go to the endpoints.
 */
export function decideAudience({ event, agents }: Pick<NewWebhookEvent, 'event' | 'agents'>): Audience {
  const timeouts = new Map<string, number>()
  for (const { url, events, timeoutMs } of agents) {
    if (url !== null && events.includes(event)) timeouts.set(url, Math.max(timeoutMs, timeouts.get(url) ?? 0))
  }
  return {
    addresses: [...timeouts].map(([url, timeoutMs]) => ({ url, timeoutMs })),
    endpoints: agents.length === 0 || agents.some(({ url }) => url === null),
  }
}

/** Returns the targets of an event. An agent's URL that is also an endpoint receives only one delivery. */
export function decideTargets(
  workspaceId: number,
  { addresses }: Pick<Audience, 'addresses'>,
  endpoints: readonly Pick<ListeningWebhook, 'webhookId' | 'url'>[],
): EventTarget[] {
  const endpointUrls = new Set(endpoints.map(({ url }) => url))
  return [
    ...endpoints.map(({ webhookId, url }) => ({ target: webhookId, webhookId, url, timeoutMs: ENDPOINT_TIMEOUT_MS })),
    ...addresses
      .filter(({ url }) => !endpointUrls.has(url))
      .map(({ url, timeoutMs }) => ({ target: hashTargetUrl(workspaceId, url), webhookId: null, url, timeoutMs })),
  ]
}

/**
 * Hashes a URL to an ordering key, because URLs may exceed the size limit of an index. The hash includes the workspace, so that
 * workspaces do not share a key.
 */
function hashTargetUrl(workspaceId: number, url: string): string {
  return `address_${createHash('sha256').update(`${workspaceId} ${url}`).digest('hex').slice(0, 40)}`
}
