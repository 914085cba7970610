import { FRAME_MS, SILENCE_DB } from '../frame.ts'

/** Initial coupling before any measurement: a phone on a table, or a client that cancels most of the echo. */
const INITIAL_COUPLING_DB = -6
const INITIAL_CANCELED_COUPLING_DB = -18
const MIN_COUPLING_DB = -60

/** Maximum delay of an echo after its frame was due. */
const MAX_ECHO_DELAY_MS = 320

/** Adaptation rates. The estimate rises slowly, because a caller who talks over the agent must not count as echo. */
const FALL_RATE = 0.03
const RISE_RATE = 0.004

/** Minimum playback level for estimating echoes. */
const MIN_REFERENCE_DB = -45

export interface EchoEstimateOptions {
  /** Whether the client claims to cancel the agent's echo. Some echo may remain. */
  readonly cancelsEcho: boolean
  /** Maximum time from sending a frame until it is due. */
  readonly leadMs: number
}

/** Estimates the agent's echo level. Learns the attenuation while the agent speaks. */
export class EchoEstimate {
  readonly #playedPeaks: PeakHold
  readonly #microphonePeaks: PeakHold
  readonly #holdFrames: number
  #couplingDb: number
  #referenceFrames = 0

  constructor({ cancelsEcho, leadMs }: EchoEstimateOptions) {
    this.#couplingDb = cancelsEcho ? INITIAL_CANCELED_COUPLING_DB : INITIAL_COUPLING_DB
    this.#holdFrames = Math.ceil((leadMs + MAX_ECHO_DELAY_MS) / FRAME_MS)
    this.#playedPeaks = new PeakHold(this.#holdFrames)
    this.#microphonePeaks = new PeakHold(this.#holdFrames)
  }

  /** Updates the estimate once per frame with the level being sent (`null` for none) and the microphone level. */
  push(playedDb: number | null, microphoneDb: number): void {
    const peakPlayedDb = this.#playedPeaks.push(playedDb ?? SILENCE_DB)
    const peakMicrophoneDb = this.#microphonePeaks.push(microphoneDb)
    this.#referenceFrames = peakPlayedDb < MIN_REFERENCE_DB ? 0 : this.#referenceFrames + 1
    // The echo of the first frames may not have arrived yet.
    if (this.#referenceFrames < this.#holdFrames) return
    const observedDb = Math.max(MIN_COUPLING_DB, Math.min(0, peakMicrophoneDb - peakPlayedDb))
    this.#couplingDb += (observedDb - this.#couplingDb) * (observedDb < this.#couplingDb ? FALL_RATE : RISE_RATE)
  }

  /** Estimated echo level, or `SILENCE_DB` while no echo is possible. */
  get levelDb(): number {
    return this.#referenceFrames === 0 ? SILENCE_DB : this.#playedPeaks.peakDb + this.#couplingDb
  }
}

/** The maximum of recent levels. */
class PeakHold {
  readonly #levels: Float64Array
  #nextIndex = 0
  #peakDb = SILENCE_DB

  constructor(frames: number) {
    this.#levels = new Float64Array(frames).fill(SILENCE_DB)
  }

  get peakDb(): number {
    return this.#peakDb
  }

  push(levelDb: number): number {
    const evictedDb = this.#levels[this.#nextIndex] as number
    this.#levels[this.#nextIndex] = levelDb
    this.#nextIndex = (this.#nextIndex + 1) % this.#levels.length
    if (levelDb >= this.#peakDb) this.#peakDb = levelDb
    else if (evictedDb === this.#peakDb) this.#peakDb = findMaximum(this.#levels)
    return this.#peakDb
  }
}

function findMaximum(levels: Float64Array): number {
  let maximum = Number.NEGATIVE_INFINITY
  for (let index = 0; index < levels.length; index += 1) maximum = Math.max(maximum, levels[index] as number)
  return maximum
}
