import type { EndOfTurnEstimate } from './estimate-end-of-turn.ts'

/** From this probability on, the shortest delay applies. */
const CONFIDENT = { probability: 0.6, delayMs: 300 }
/** Below this probability, the speaker is in mid-sentence. */
const UNCERTAIN = { probability: 0.3, delayMs: 1_500 }
const MAX_DELAY_MS = 3_000
/** Delay between groups of digits or letters. */
const BETWEEN_GROUPS_MS = 1_200
/** The speaker's average pause is multiplied by this factor, within bounds. */
const AVERAGE_PAUSE_FACTOR = 1.5
const MAX_PAUSE_MS = 2_000

/** Delay before the agent's responsiveness is applied. */
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
  /** No transcriber will change the text. */
  readonly isFinal: boolean
  /** Average pause of this speaker within turns; `null` if unknown. */
  readonly averagePauseMs: number | null
}

/** When the turn ends unless voice or text arrives. */
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

/** Updates the average pause of a speaker, within bounds. */
export function updateAveragePause(averageMs: number | null, pauseMs: number): number {
  const bounded = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pauseMs))
  return averageMs === null ? bounded : averageMs * PAUSE_SMOOTHING + bounded * (1 - PAUSE_SMOOTHING)
}

function between(from: number, to: number, part: number): number {
  return Math.round(from + (to - from) * part)
}
