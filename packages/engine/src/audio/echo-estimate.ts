import { SILENCE_DB } from './level.ts'

/** Coupling before anything is known: a phone on a table. */
const INITIAL_COUPLING_DB = -6
const MIN_COUPLING_DB = -60

/** Echoes arrive up to this many frames (320 ms) late, so the loudest recent frames are compared. */
const HOLD_FRAMES = 16

/** Adapts down faster than up: a caller who talks over the agent must not count as echo. */
const FALL_RATE = 0.05
const RISE_RATE = 0.004

/** Playback below this level says nothing about echoes. */
const MIN_REFERENCE_DB = -45

/** Estimates the level of the agent's own echo. */
export interface EchoEstimate {
  /** Call once per frame with the level being played (`null` for none) and the microphone level. */
  push(playedDb: number | null, heardDb: number): void
  /** `SILENCE_DB` while nothing is played. */
  readonly levelDb: number
}

/** Learns the echo attenuation while the agent speaks. */
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
      // The echo of the first frames may not have arrived yet.
      if (referenceFrames < HOLD_FRAMES) return
      const observedDb = Math.max(MIN_COUPLING_DB, Math.min(0, peakHeardDb - peakPlayedDb))
      couplingDb += (observedDb - couplingDb) * (observedDb < couplingDb ? FALL_RATE : RISE_RATE)
    },
    get levelDb() {
      return referenceFrames === 0 ? SILENCE_DB : played.levelDb() + couplingDb
    },
  }
}

/** Maximum of the recent levels. */
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
