import { SampleBuffer } from './sample-buffer.ts'

const INITIAL_SECONDS = 2
/** Dropped audio is removed once it exceeds this duration, so that most frames copy nothing. */
const MAX_DROPPED_SECONDS = 0.5

/** The caller's audio without final text, by position in the call. Kept in order to send it again over another connection. */
export class UnconfirmedAudio {
  readonly #buffer: SampleBuffer
  readonly #rateHz: number
  #startSample = 0
  #endSample = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#buffer = new SampleBuffer(rateHz * INITIAL_SECONDS)
  }

  /** Position of the first sample that is kept. */
  get startSample(): number {
    return this.#startSample
  }

  /** Position after the last sample. */
  get endSample(): number {
    return this.#endSample
  }

  append(samples: Int16Array): void {
    this.#buffer.append(samples)
    this.#endSample += samples.length
  }

  /** Drops all samples before a position. Returns whether any was dropped. */
  dropBefore(sample: number): boolean {
    const startSample = Math.min(Math.floor(sample), this.#endSample)
    if (startSample <= this.#startSample) return false
    this.#startSample = startSample
    const keptCount = this.#endSample - startSample
    if (this.#buffer.length - keptCount > MAX_DROPPED_SECONDS * this.#rateHz) this.#buffer.keepLast(keptCount)
    return true
  }

  /** Keeps only the latest audio. Returns whether any was dropped. */
  limit(maxSeconds: number): boolean {
    return this.dropBefore(this.#endSample - maxSeconds * this.#rateHz)
  }

  /** Returns the samples between two positions. The result is valid until the next change. */
  read(fromSample: number, toSample: number): Int16Array {
    const bufferStartSample = this.#endSample - this.#buffer.length
    return this.#buffer.getSamples().subarray(fromSample - bufferStartSample, toSample - bufferStartSample)
  }
}
