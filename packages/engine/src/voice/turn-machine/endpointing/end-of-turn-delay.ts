import type { EndOfTurnEstimate } from './estimate-end-of-turn.ts'

/** From this probability on the shortest wait is enough. */
const SURE = { probability: 0.6, delayMs: 300 }
/** From here down a speaker is in the middle of something. */
const UNSURE = { probability: 0.3, delayMs: 1_500 }
const LONGEST_DELAY_MS = 3_000
/** Between two groups of digits or letters. */
const BETWEEN_GROUPS_MS = 1_200
/** A speaker's own pause is waited for with this much to spare, within bounds. */
const OWN_PAUSE_FACTOR = 1.5
const LONGEST_OWN_PAUSE_MS = 2_000

/** How long to wait beyond the threshold of the agent, before its responsiveness is taken into account. */
export function delayOf(probability: number): number {
  if (probability >= SURE.probability) return SURE.delayMs
  if (probability <= UNSURE.probability) {
    return between(LONGEST_DELAY_MS, UNSURE.delayMs, probability / UNSURE.probability)
  }
  const part = (probability - UNSURE.probability) / (SURE.probability - UNSURE.probability)
  return between(UNSURE.delayMs, SURE.delayMs, part)
}

export interface EndOfTurnWait {
  readonly estimate: EndOfTurnEstimate
  readonly lastVoiceAtMs: number
  readonly responseThresholdMs: number
  readonly responsivenessFactor: number
  readonly recogniserP99Ms: number
  /** No recogniser will change the text any more. */
  readonly isFinal: boolean
  /** Average of this speaker's pauses within turns; `null`: none was heard yet. */
  readonly ownPauseMs: number | null
}

/** When the caller's turn counts as over, unless voice or text comes before. */
export function endOfTurnAtMs(wait: EndOfTurnWait): number {
  const { estimate, ownPauseMs } = wait
  const delayMs = delayOf(estimate.probability) * wait.responsivenessFactor
  const groupsMs = estimate.isInGroups ? BETWEEN_GROUPS_MS : 0
  const isSure = estimate.probability >= SURE.probability
  const pauseMs = isSure || ownPauseMs === null ? 0 : Math.min(LONGEST_OWN_PAUSE_MS, ownPauseMs * OWN_PAUSE_FACTOR)
  const waitMs = Math.max(wait.responseThresholdMs, delayMs, groupsMs, pauseMs)
  return wait.lastVoiceAtMs + Math.round(Math.max(waitMs, wait.isFinal ? 0 : wait.recogniserP99Ms))
}

const KEPT_OF_AVERAGE = 0.9
const SHORTEST_PAUSE_MS = 200

/** The average pause of a speaker after another one, within bounds. */
export function averagePause(averageMs: number | null, pauseMs: number): number {
  const bounded = Math.min(LONGEST_OWN_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs))
  return averageMs === null ? bounded : averageMs * KEPT_OF_AVERAGE + bounded * (1 - KEPT_OF_AVERAGE)
}

function between(from: number, to: number, part: number): number {
  return Math.round(from + (to - from) * part)
}
