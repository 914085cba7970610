/** What counts as silent and as full, in decibels of a full sine. */
const FLOOR_DB = -55
const TOP_DB = -8

/** Measures how loud sound is, from 0 to 1 as an ear would draw it. */
export class LevelMeter {
  #sum = 0
  #count = 0

  add(samples: Float32Array, count = samples.length): void {
    for (let index = 0; index < count; index += 1) this.#sum += (samples[index] ?? 0) ** 2
    this.#count += count
  }

  /** The level since the last reading. */
  read(): number {
    const power = this.#count === 0 ? 0 : this.#sum / this.#count
    this.#sum = 0
    this.#count = 0
    if (power === 0) return 0
    const decibels = 10 * Math.log10(power * 2)
    return Math.min(1, Math.max(0, (decibels - FLOOR_DB) / (TOP_DB - FLOOR_DB)))
  }
}
