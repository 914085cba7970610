import { SILENCE_DB } from './level.ts'

/** What of its own loudspeaker a microphone hears before anything is known of it: a phone laid on the table. */
const INITIAL_COUPLING_DB = -6
const LOWEST_COUPLING_DB = -60

/** An echo comes up to so many frames (320 ms) later than what is played: the loudest of them are compared. */
const HELD_FRAMES = 16

/** Down faster than up in each frame: only an echo is weak, but a caller who talks over the agent is no echo. */
const FALL = 0.05
const RISE = 0.004

/** Quieter than this, what is played tells nothing about echoes. */
const TELLING_DB = -45

/** How loud the agent's own voice comes back. */
export interface EchoEstimate {
  /** Once for each frame: level of what is being played (`null`: nothing) and of what the microphone picks up. */
  push(playedDb: number | null, heardDb: number): void
  /** `SILENCE_DB` while nothing comes back. */
  readonly levelDb: number
}

/** Learns from what is heard while the agent speaks how much weaker its echo is. */
export function createEchoEstimate(): EchoEstimate {
  const played = createLoudest()
  const heard = createLoudest()
  let couplingDb = INITIAL_COUPLING_DB
  let tellingFrames = 0
  return {
    push(playedDb, heardDb) {
      const loudestPlayed = played.push(playedDb ?? SILENCE_DB)
      const loudestHeard = heard.push(heardDb)
      tellingFrames = loudestPlayed < TELLING_DB ? 0 : tellingFrames + 1
      // The echo of the first frames may not have come back yet.
      if (tellingFrames < HELD_FRAMES) return
      const observedDb = Math.max(LOWEST_COUPLING_DB, Math.min(0, loudestHeard - loudestPlayed))
      couplingDb += (observedDb - couplingDb) * (observedDb < couplingDb ? FALL : RISE)
    },
    get levelDb() {
      return tellingFrames === 0 ? SILENCE_DB : played.levelDb() + couplingDb
    },
  }
}

/** The greatest of the last levels. */
function createLoudest(): { push(levelDb: number): number; levelDb(): number } {
  const levels = new Float64Array(HELD_FRAMES).fill(SILENCE_DB)
  let next = 0
  let loudest = SILENCE_DB
  return {
    push(levelDb) {
      const leaves = levels[next] as number
      levels[next] = levelDb
      next = (next + 1) % HELD_FRAMES
      if (levelDb >= loudest) loudest = levelDb
      else if (leaves === loudest) loudest = Math.max(...levels)
      return loudest
    },
    levelDb: () => loudest,
  }
}
