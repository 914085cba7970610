/** Windows that each keep their minimum; together they cover how long noise may pass as voice. */
const WINDOW_MS = 300
const WINDOWS = 6

/** Bounds of the noise floor: inaudible below, unintelligible speech above. */
const MIN_FLOOR_DB = -70
const MAX_FLOOR_DB = -20

/** Tracks the background noise level. */
export interface NoiseFloor {
  /** Adds the level of the next stretch of audio. */
  push(levelDb: number, durationMs: number): void
  readonly levelDb: number
}

/**
 * Minimum statistics over 1.8 seconds (R. Martin 2001): speech has gaps between syllables, steady noise has none.
 * Starts low so that the first words of a call count as voice.
 */
export function createNoiseFloor(): NoiseFloor {
  return new MinimumNoiseFloor()
}

/** A class because it changes per frame: fields update in place, closure variables allocate. */
class MinimumNoiseFloor implements NoiseFloor {
  readonly #minima = new Float64Array(WINDOWS).fill(MIN_FLOOR_DB)
  #window = 0
  #windowMs = 0
  #currentMinimum = Number.POSITIVE_INFINITY
  #floorDb = MIN_FLOOR_DB

  get levelDb(): number {
    return this.#floorDb
  }

  push(levelDb: number, durationMs: number): void {
    this.#currentMinimum = Math.min(this.#currentMinimum, levelDb)
    this.#windowMs += durationMs
    if (this.#windowMs >= WINDOW_MS) {
      this.#minima[this.#window] = this.#currentMinimum
      this.#window = (this.#window + 1) % WINDOWS
      this.#windowMs = 0
      this.#currentMinimum = Number.POSITIVE_INFINITY
    }
    let lowest = this.#currentMinimum
    for (const minimum of this.#minima) lowest = Math.min(lowest, minimum)
    this.#floorDb = Math.min(MAX_FLOOR_DB, Math.max(MIN_FLOOR_DB, lowest))
  }
}
