import { FRAME_MS, type Frame } from '@parley/engine/audio/frame'
import { SampleBuffer } from './sample-buffer.ts'

/** Voice is detected after 96 ms, at the end of the next frame or later. */
export const VOICE_DETECTION_MS = 120
/** Audio kept before the detected voice, because voice is detected late and can start softly. */
const PRE_ROLL_MS = 500

/** The latest audio of a caller, with which the next utterance starts. */
export class PreRoll {
  readonly #samples: SampleBuffer
  readonly #maxCount: number

  constructor(rateHz: number) {
    this.#maxCount = (rateHz * PRE_ROLL_MS) / 1_000
    this.#samples = new SampleBuffer(this.#maxCount * 2 + (rateHz * FRAME_MS) / 1_000)
  }

  push(frame: Frame): void {
    // Truncates only at twice the size, so that most frames need no copy.
    if (this.#samples.length >= this.#maxCount * 2 - frame.length) this.#samples.keepLast(this.#maxCount)
    this.#samples.append(frame)
  }

  /** Drops all audio except the last samples. Earlier audio belongs to another utterance. */
  keepLast(count: number): void {
    this.#samples.keepLast(Math.max(0, count))
  }

  /** Returns the audio before an utterance. Valid until the next `push`. */
  getSamples(): Int16Array {
    this.#samples.keepLast(this.#maxCount)
    return this.#samples.getSamples()
  }
}
