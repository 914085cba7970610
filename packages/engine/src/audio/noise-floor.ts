/** Windows of which each keeps its quietest moment; together they are as long as noise may sound like voice. */
const WINDOW_MS = 300
const WINDOWS = 6

/** A line is never taken for quieter or for louder than this: the first is inaudible, nobody is understood above the second. */
const MIN_FLOOR_DB = -70
const MAX_FLOOR_DB = -20

/** How loud it is where nobody speaks. */
export interface NoiseFloor {
  /** The level of the next stretch of sound. */
  push(levelDb: number, durationMs: number): void
  readonly levelDb: number
}

/**
 * The quietest moment of the last 1.8 seconds (minimum statistics, R. Martin 2001): speech has gaps between its syllables, hum
 * and fans have none, so the floor stays below the one and rises to the other. Begins low, so that whoever speaks first is
 * heard.
 */
export function createNoiseFloor(): NoiseFloor {
  return new MinimumNoiseFloor()
}

/** A class, since its numbers change with every frame: fields are changed in place, variables of a closure are allocated anew. */
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
