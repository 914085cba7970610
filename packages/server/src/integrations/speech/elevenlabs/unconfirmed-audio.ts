import { SampleBuffer } from '../sample-buffer.ts'

/** The caller's audio without final text, by position in the call. Kept for another connection, up to a limit. */
export class UnconfirmedAudio {
  readonly #buffer: SampleBuffer
  readonly #rateHz: number
  #endSample = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#buffer = new SampleBuffer(rateHz * 2)
  }

  /** Position of the first sample that is kept. */
  get startSample(): number {
    return this.#endSample - this.#buffer.length
  }

  /** Position after the last sample. */
  get endSample(): number {
    return this.#endSample
  }

  append(samples: Int16Array): void {
    this.#buffer.append(samples)
    this.#endSample += samples.length
  }

  /** Drops audio older than `maxSeconds`. Keeps up to two seconds more, so that most calls copy nothing. */
  limit(maxSeconds: number): void {
    if (this.#buffer.length > (maxSeconds + 2) * this.#rateHz) this.#buffer.keepLast(maxSeconds * this.#rateHz)
  }

  /** Drops all samples before a position. */
  dropBefore(sample: number): void {
    this.#buffer.keepLast(Math.max(0, this.#endSample - sample))
  }

  /** Returns the samples between two positions. The result is valid until the next change. */
  read(fromSample: number, toSample: number): Int16Array {
    const offset = this.startSample
    return this.#buffer.getSamples().subarray(Math.max(0, fromSample - offset), Math.max(0, toSample - offset))
  }
}
