import type { WebhookAnswer } from './webhook-ports.ts'

/** What one attempt came to, as its log tells it. */
export interface AttemptResult {
  readonly isDelivered: boolean
  /** Nothing would change if it was sent again. */
  readonly isPermanentFailure: boolean
  readonly status: number | null
  /** `null` when it was delivered. */
  readonly error: string | null
  readonly responseBody: string
}

/** What becomes of a delivery after an attempt. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly isBlocking: boolean }

/** Pauses between one attempt and the next. */
const RETRY_DELAYS_MS: readonly number[] = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
/** So often a delivery fails before those behind it go on without it. */
const BLOCKING_ATTEMPTS = 3
const MAX_RESPONSE_CHARACTERS = 1000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HTTP_GONE = 410
/** Failures that lie in the address itself. */
const PERMANENT_FAILURE_REASONS: ReadonlySet<string> = new Set(['blocked-target', 'invalid-request'])

/** Reads an answer: its status decides, whatever became of its body. */
export function evaluateAnswer(answer: WebhookAnswer): AttemptResult {
  const { status } = answer
  const responseBody = answer.ok ? textStart(answer.body) : ''
  const isDelivered = status !== null && status >= 200 && status <= 299
  if (isDelivered) return { isDelivered, isPermanentFailure: false, status, error: null, responseBody }
  const isPermanentFailure = status === HTTP_GONE || (!answer.ok && PERMANENT_FAILURE_REASONS.has(answer.reason))
  const error = status === null ? (answer.ok ? '' : answer.message) : describeStatus(status)
  return { isDelivered, isPermanentFailure, status, error, responseBody }
}

/** What follows from a result. `tries` counts the attempts since the delivery was made or asked for again, this one included. */
export function decideOutcome({ isDelivered, isPermanentFailure }: AttemptResult, tries: number): DeliveryOutcome {
  if (isDelivered) return { kind: 'delivered' }
  const afterMs = RETRY_DELAYS_MS[tries - 1]
  if (isPermanentFailure || afterMs === undefined) return { kind: 'failed' }
  return { kind: 'retry', afterMs, isBlocking: tries < BLOCKING_ATTEMPTS }
}

function describeStatus(status: number): string {
  if (status === HTTP_GONE) return 'The server answered with status 410: it wants no more of this.'
  if (!REDIRECTS.has(status)) return `The server answered with status ${status}.`
  return `The server answered with a redirect (status ${status}), which is not followed: set the address it leads to.`
}

/** The beginning of an answer as text that every database can store. */
function textStart(body: Uint8Array): string {
  // Four bytes at most for each character.
  const text = new TextDecoder().decode(body.subarray(0, MAX_RESPONSE_CHARACTERS * 4))
  return text.replaceAll('\0', '').slice(0, MAX_RESPONSE_CHARACTERS).toWellFormed()
}
