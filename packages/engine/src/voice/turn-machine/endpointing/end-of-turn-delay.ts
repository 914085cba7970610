import type { EndOfTurnEstimate } from './estimate-end-of-turn.ts'

/** From this probability on the shortest wait is enough. */
const CONFIDENT = { probability: 0.6, delayMs: 300 }
/** From here down a speaker is in the middle of something. */
const UNCERTAIN = { probability: 0.3, delayMs: 1_500 }
const MAX_DELAY_MS = 3_000
/** Between two groups of digits or letters. */
const BETWEEN_GROUPS_MS = 1_200
/** A speaker's own pause is waited for with this much to spare, within bounds. */
const AVERAGE_PAUSE_FACTOR = 1.5
const MAX_PAUSE_MS = 2_000

/** How long to wait beyond the threshold of the agent, before its responsiveness is taken into account. */
export function delayFor(probability: number): number {
  if (probability >= CONFIDENT.probability) return CONFIDENT.delayMs
  if (probability <= UNCERTAIN.probability) {
    return between(MAX_DELAY_MS, UNCERTAIN.delayMs, probability / UNCERTAIN.probability)
  }
  const part = (probability - UNCERTAIN.probability) / (CONFIDENT.probability - UNCERTAIN.probability)
  return between(UNCERTAIN.delayMs, CONFIDENT.delayMs, part)
}

export interface EndOfTurnWait {
  readonly estimate: EndOfTurnEstimate
  readonly lastVoiceAtMs: number
  readonly responseThresholdMs: number
  readonly responsivenessFactor: number
  readonly transcriberP99Ms: number
  /** No recogniser will change the text any more. */
  readonly isFinal: boolean
  /** Average of this speaker's pauses within turns; `null`: none was heard yet. */
  readonly averagePauseMs: number | null
}

/** When the caller's turn counts as over, unless voice or text comes before. */
export function endOfTurnAtMs(wait: EndOfTurnWait): number {
  const { estimate, averagePauseMs } = wait
  const delayMs = delayFor(estimate.probability) * wait.responsivenessFactor
  const groupsMs = estimate.isInGroups ? BETWEEN_GROUPS_MS : 0
  const isConfident = estimate.probability >= CONFIDENT.probability
  const pauseMs =
    isConfident || averagePauseMs === null ? 0 : Math.min(MAX_PAUSE_MS, averagePauseMs * AVERAGE_PAUSE_FACTOR)
  const waitMs = Math.max(wait.responseThresholdMs, delayMs, groupsMs, pauseMs)
  return wait.lastVoiceAtMs + Math.round(Math.max(waitMs, wait.isFinal ? 0 : wait.transcriberP99Ms))
}

const PAUSE_SMOOTHING = 0.9
const MIN_PAUSE_MS = 200

/** The average pause of a speaker after another one, within bounds. */
export function updateAveragePause(averageMs: number | null, pauseMs: number): number {
  const bounded = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pauseMs))
  return averageMs === null ? bounded : averageMs * PAUSE_SMOOTHING + bounded * (1 - PAUSE_SMOOTHING)
}

function between(from: number, to: number, part: number): number {
  return Math.round(from + (to - from) * part)
}
