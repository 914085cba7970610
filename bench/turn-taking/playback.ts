import { JitterBuffer } from '../../packages/sdk/src/audio/jitter-buffer.ts'
import type { HeardTrace } from './judge.ts'
import { measureLevelDb, toGain } from './levels.ts'

const FULL_SCALE = 32_768

/** Plays the agent's audio like the browser does, with its buffer, and records what the caller hears. */
export class CallerPlayback {
  readonly trace: HeardTrace = { gains: [], levelsDb: [] }
  readonly #rateHz: number
  readonly #buffer: JitterBuffer
  #gain = 1
  #targetGain = 1
  #gainStep = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#buffer = new JitterBuffer(rateHz)
  }

  /** Position after the last played sample. */
  get played(): number {
    return this.#buffer.played
  }

  get isPlaying(): boolean {
    return this.#buffer.isPlaying
  }

  push(startSample: number, samples: Int16Array): void {
    this.#buffer.push(
      startSample,
      Float32Array.from(samples, (sample) => sample / FULL_SCALE),
    )
  }

  clear(): void {
    this.#buffer.clear()
  }

  /** Changes the volume to `db`, relative to the full volume, within `rampMs`. */
  setGain(db: number, rampMs: number): void {
    this.#targetGain = toGain(db)
    this.#gainStep = (this.#targetGain - this.#gain) / Math.max(1, (rampMs * this.#rateHz) / 1_000)
  }

  /** Plays one step and returns the samples that the caller hears. */
  play(count: number): Float32Array {
    const output = new Float32Array(count)
    const filled = this.#buffer.pull(output, count)
    const levelDb = measureLevelDb(output) + 20 * Math.log10(FULL_SCALE)
    let gainSum = 0
    for (let index = 0; index < count; index += 1) {
      if (this.#gain !== this.#targetGain) this.#advanceGain()
      gainSum += this.#gain
      output[index] = (output[index] ?? 0) * this.#gain
    }
    this.trace.gains.push((gainSum / count) * (filled / count))
    this.trace.levelsDb.push(levelDb)
    return output
  }

  #advanceGain(): void {
    const next = this.#gain + this.#gainStep
    const isReached = this.#gainStep >= 0 ? next >= this.#targetGain : next <= this.#targetGain
    this.#gain = isReached ? this.#targetGain : next
  }
}
