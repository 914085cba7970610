import type { ModelFailure } from '../../ports.ts'

/** A generation's progress through its list of models. */
export interface AttemptState {
  readonly modelIndex: number
  /** Whether the current model has been retried. */
  readonly hasRetried: boolean
  /** Whether a blank answer has been retried. */
  readonly hasRetriedBlank: boolean
  readonly lastFailure: ModelFailure | null
}

/** The reason why an attempt produced no text. */
export type AttemptFailure =
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'blank' }
  /** No vendor serves the model. */
  | { readonly type: 'not-configured'; readonly name: string }

/** How to continue. `retry` and `fallback` contain the state of the next attempt. */
export type NextAttempt =
  | { readonly type: 'retry'; readonly waitMs: number; readonly state: AttemptState }
  | { readonly type: 'fallback'; readonly state: AttemptState }
  | { readonly type: 'say'; readonly text: string; readonly failure: ModelFailure | null }
  | { readonly type: 'fail'; readonly failure: ModelFailure }

/** Retry delay if the vendor does not specify one. */
const DEFAULT_RETRY_DELAY_MS = 250

/** Maximum retry delay, because a listener is waiting and vendors often request a minute. */
const MAX_RETRY_DELAY_MS = 2_000

/** Returns the state before the first attempt, starting at an index in the model list. */
export function createAttemptState(modelIndex: number): AttemptState {
  return { modelIndex, hasRetried: false, hasRetriedBlank: false, lastFailure: null }
}

/**
 * Decides how to continue after an attempt without text. Each model gets one retry for retryable failures, followed by the next
 * model, the fallback message, and failure. A blank answer is retried once and then replaced by a message.
 */
export function decideNextAttempt(
  state: AttemptState,
  result: AttemptFailure,
  options: {
    readonly modelCount: number
    readonly fallbackMessage: string | null
    readonly blankAnswerMessage: string
  },
): NextAttempt {
  if (result.type === 'blank') {
    if (!state.hasRetriedBlank) return { type: 'retry', waitMs: 0, state: { ...state, hasRetriedBlank: true } }
    return { type: 'say', text: options.fallbackMessage ?? options.blankAnswerMessage, failure: null }
  }
  const failure = result.type === 'failed' ? result.failure : state.lastFailure
  if (result.type === 'failed' && result.failure.retryable && !state.hasRetried) {
    return {
      type: 'retry',
      waitMs: getRetryDelayMs(result.failure),
      state: { ...state, hasRetried: true, lastFailure: failure },
    }
  }
  if (state.modelIndex + 1 < options.modelCount) {
    const nextState = { ...state, modelIndex: state.modelIndex + 1, hasRetried: false, lastFailure: failure }
    return { type: 'fallback', state: nextState }
  }
  if (options.fallbackMessage !== null) return { type: 'say', text: options.fallbackMessage, failure }
  return {
    type: 'fail',
    failure: failure ?? toNotConfiguredFailure(result.type === 'not-configured' ? result.name : ''),
  }
}

function toNotConfiguredFailure(name: string): ModelFailure {
  return { kind: 'rejected', message: `No configured provider serves the model "${name}".`, retryable: false }
}

function getRetryDelayMs(failure: ModelFailure): number {
  const requestedMs = failure.retryAfterMs
  return requestedMs === undefined || !(requestedMs >= 0)
    ? DEFAULT_RETRY_DELAY_MS
    : Math.min(requestedMs, MAX_RETRY_DELAY_MS)
}
