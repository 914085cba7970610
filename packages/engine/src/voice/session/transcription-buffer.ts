import { FRAME_MS, type Frame } from '../../audio/frame.ts'

/** Audio before voice was detected that a transcriber needs. */
const PRE_ROLL_FRAMES = 500 / FRAME_MS
const MAX_FRAMES = 10_000 / FRAME_MS

/** The caller's latest frames without a final text, to replay to the next transcriber. */
export class TranscriptionBuffer {
  #frames: Frame[] = []
  #isVoiced = false

  push(frame: Frame): void {
    this.#frames.push(frame)
    const max = this.#isVoiced ? MAX_FRAMES : PRE_ROLL_FRAMES
    // Cut in portions: moving the rest for each frame would cost more.
    if (this.#frames.length > max + PRE_ROLL_FRAMES) this.#frames = this.#frames.slice(-max)
  }

  /** Keeps all frames from here on until they are transcribed. */
  voiceStarted(): void {
    this.#isVoiced = true
  }

  /** Drops transcribed frames. */
  markTranscribed(): void {
    this.#isVoiced = false
    this.#frames = this.#frames.slice(-PRE_ROLL_FRAMES)
  }

  /** Drops frames older than `remainingMs` while the voice continues. */
  markTranscribedUntil(remainingMs: number): void {
    this.#frames = this.#frames.slice(-Math.max(1, Math.ceil(remainingMs / FRAME_MS)))
  }

  get isVoiced(): boolean {
    return this.#isVoiced
  }

  all(): readonly Frame[] {
    return this.#frames
  }

  clear(): void {
    this.#frames = []
  }
}
