import type { ModelFailure } from '../../ports.ts'

/** Where one generation stands in its list of models. */
export interface AttemptState {
  readonly candidate: number
  /** The current model has had its second chance. */
  readonly retried: boolean
  /** A blank answer was already asked for again. */
  readonly isReasked: boolean
  readonly lastFailure: ModelFailure | null
}

/** Why an attempt gave nothing that could be said. */
export type AttemptFailure =
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'blank' }
  /** No provider serves the model of that name. */
  | { readonly type: 'not-configured'; readonly name: string }

/** What to do next. `retry` and `fallback` carry the state to go on with. */
export type NextAttempt =
  | { readonly type: 'retry'; readonly waitMs: number; readonly state: AttemptState }
  | { readonly type: 'fallback'; readonly state: AttemptState }
  | { readonly type: 'say'; readonly text: string; readonly failure: ModelFailure | null }
  | { readonly type: 'fail'; readonly failure: ModelFailure }

/** Pause before a retry when the provider names none. */
const BACKOFF_MS = 250

/** The longest pause a listener is asked to sit through; providers often ask for a minute. */
const MAX_RETRY_DELAY_MS = 2_000

/** The state before the first attempt, at the given place in the list of models. */
export function firstAttempt(candidate: number): AttemptState {
  return { candidate, retried: false, isReasked: false, lastFailure: null }
}

/**
 * Decides after an attempt that streamed nothing: one retry per model if it may help, then the next model, then the
 * fallback message, then failure. A blank answer is asked for once more, then a line is said in its place.
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
    if (!state.isReasked) return { type: 'retry', waitMs: 0, state: { ...state, isReasked: true } }
    return { type: 'say', text: available.fallbackMessage ?? available.blankAnswerMessage, failure: null }
  }
  const failure = result.type === 'failed' ? result.failure : state.lastFailure
  if (result.type === 'failed' && result.failure.retryable && !state.retried) {
    return { type: 'retry', waitMs: pauseMs(result.failure), state: { ...state, retried: true, lastFailure: failure } }
  }
  if (state.candidate + 1 < available.candidates) {
    const next = { ...state, candidate: state.candidate + 1, retried: false, lastFailure: failure }
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
