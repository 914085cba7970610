import type { ModelFailure } from '../../ports.ts'

/** Progress of a generation through its list of models. */
export interface AttemptState {
  readonly candidate: number
  /** The current model was isRetried. */
  readonly isRetried: boolean
  /** A blank answer was isRetried. */
  readonly isBlankRetried: boolean
  readonly lastFailure: ModelFailure | null
}

/** Why an attempt produced no text. */
export type AttemptFailure =
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'blank' }
  /** No vendor serves the model. */
  | { readonly type: 'not-configured'; readonly name: string }

/** The next attempt. `retry` and `fallback` carry its state. */
export type NextAttempt =
  | { readonly type: 'retry'; readonly waitMs: number; readonly state: AttemptState }
  | { readonly type: 'fallback'; readonly state: AttemptState }
  | { readonly type: 'say'; readonly text: string; readonly failure: ModelFailure | null }
  | { readonly type: 'fail'; readonly failure: ModelFailure }

/** Delay before a retry if the vendor names none. */
const BACKOFF_MS = 250

/** Limit of the delay, because a listener is waiting; vendors often ask for a minute. */
const MAX_RETRY_DELAY_MS = 2_000

/** The state before the first attempt, at an index of the model list. */
export function firstAttempt(candidate: number): AttemptState {
  return { candidate, isRetried: false, isBlankRetried: false, lastFailure: null }
}

/**
 * Decides after an attempt without text: one retry per model for retryable failures, then the next model, the fallback message,
 * failure. A blank answer is isRetried once, then replaced by a message.
 */
export function decideNextAttempt(
  state: AttemptState,
  result: AttemptFailure,
  available: {
    readonly candidates: number
    readonly fallbackMessage: string | null
    readonly blankAnswerMessage: string
  },
): NextAttempt {
  if (result.type === 'blank') {
    if (!state.isBlankRetried) return { type: 'retry', waitMs: 0, state: { ...state, isBlankRetried: true } }
    return { type: 'say', text: available.fallbackMessage ?? available.blankAnswerMessage, failure: null }
  }
  const failure = result.type === 'failed' ? result.failure : state.lastFailure
  if (result.type === 'failed' && result.failure.retryable && !state.isRetried) {
    return {
      type: 'retry',
      waitMs: pauseMs(result.failure),
      state: { ...state, isRetried: true, lastFailure: failure },
    }
  }
  if (state.candidate + 1 < available.candidates) {
    const next = { ...state, candidate: state.candidate + 1, isRetried: false, lastFailure: failure }
    return { type: 'fallback', state: next }
  }
  if (available.fallbackMessage !== null) return { type: 'say', text: available.fallbackMessage, failure }
  return { type: 'fail', failure: failure ?? notConfiguredFailure(result.type === 'not-configured' ? result.name : '') }
}

function notConfiguredFailure(name: string): ModelFailure {
  return { kind: 'rejected', message: `No configured provider serves the model "${name}".`, retryable: false }
}

function pauseMs(failure: ModelFailure): number {
  const requestedMs = failure.retryAfterMs
  return requestedMs === undefined || !(requestedMs >= 0) ? BACKOFF_MS : Math.min(requestedMs, MAX_RETRY_DELAY_MS)
}
