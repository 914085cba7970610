import { FRAME_MS, type Frame } from '../../audio/frame.ts'

/** Sound from before the voice was noticed that a recogniser needs. */
const PRE_ROLL_FRAMES = 500 / FRAME_MS
const MAX_FRAMES = 10_000 / FRAME_MS

/** The caller's latest frames that no final text covers: what another recogniser has to hear when the one at work dies. */
export class TranscriptionBuffer {
  #frames: Frame[] = []
  #isVoiced = false

  push(frame: Frame): void {
    this.#frames.push(frame)
    const max = this.#isVoiced ? MAX_FRAMES : PRE_ROLL_FRAMES
    // Cut in portions: moving the rest for each frame would cost more.
    if (this.#frames.length > max + PRE_ROLL_FRAMES) this.#frames = this.#frames.slice(-max)
  }

  /** From here on nothing is let go until it is understood. */
  voiceStarted(): void {
    this.#isVoiced = true
  }

  /** What was said is text. */
  markTranscribed(): void {
    this.#isVoiced = false
    this.#frames = this.#frames.slice(-PRE_ROLL_FRAMES)
  }

  /** What was said until so long ago is text, and the voice goes on. */
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
