import { SILENCE_DB } from './level.ts'

/** What of its own loudspeaker a microphone hears before anything is known of it: a phone laid on the table. */
const INITIAL_COUPLING_DB = -6
const MIN_COUPLING_DB = -60

/** An echo comes up to so many frames (320 ms) later than what is played: the loudest of them are compared. */
const HOLD_FRAMES = 16

/** Down faster than up in each frame: only an echo is weak, but a caller who talks over the agent is no echo. */
const FALL_RATE = 0.05
const RISE_RATE = 0.004

/** Quieter than this, what is played tells nothing about echoes. */
const MIN_REFERENCE_DB = -45

/** How loud the agent's own voice comes back. */
export interface EchoEstimate {
  /** Once for each frame: level of what is being played (`null`: nothing) and of what the microphone picks up. */
  push(playedDb: number | null, heardDb: number): void
  /** `SILENCE_DB` while nothing comes back. */
  readonly levelDb: number
}

/** Learns from what is heard while the agent speaks how much weaker its echo is. */
export function createEchoEstimate(): EchoEstimate {
  const played = createPeakHold()
  const heard = createPeakHold()
  let couplingDb = INITIAL_COUPLING_DB
  let referenceFrames = 0
  return {
    push(playedDb, heardDb) {
      const peakPlayedDb = played.push(playedDb ?? SILENCE_DB)
      const peakHeardDb = heard.push(heardDb)
      referenceFrames = peakPlayedDb < MIN_REFERENCE_DB ? 0 : referenceFrames + 1
      // The echo of the first frames may not have come back yet.
      if (referenceFrames < HOLD_FRAMES) return
      const observedDb = Math.max(MIN_COUPLING_DB, Math.min(0, peakHeardDb - peakPlayedDb))
      couplingDb += (observedDb - couplingDb) * (observedDb < couplingDb ? FALL_RATE : RISE_RATE)
    },
    get levelDb() {
      return referenceFrames === 0 ? SILENCE_DB : played.levelDb() + couplingDb
    },
  }
}

/** The greatest of the last levels. */
function createPeakHold(): { push(levelDb: number): number; levelDb(): number } {
  const levels = new Float64Array(HOLD_FRAMES).fill(SILENCE_DB)
  let next = 0
  let loudest = SILENCE_DB
  return {
    push(levelDb) {
      const evicted = levels[next] as number
      levels[next] = levelDb
      next = (next + 1) % HOLD_FRAMES
      if (levelDb >= loudest) loudest = levelDb
      else if (evicted === loudest) loudest = Math.max(...levels)
      return loudest
    },
    levelDb: () => loudest,
  }
}
