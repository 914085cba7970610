import { FRAME_MS, type Frame } from '../../audio/frame.ts'

/** Sound from before the voice was noticed that a recogniser needs. */
const PRE_ROLL_FRAMES = 500 / FRAME_MS
const MOST_FRAMES = 10_000 / FRAME_MS

/** The caller's latest frames that no final text covers: what another recogniser has to hear when the one at work dies. */
export class HeardFrames {
  #frames: Frame[] = []
  #isVoiced = false

  push(frame: Frame): void {
    this.#frames.push(frame)
    const most = this.#isVoiced ? MOST_FRAMES : PRE_ROLL_FRAMES
    // Cut in portions: moving the rest for each frame would cost more.
    if (this.#frames.length > most + PRE_ROLL_FRAMES) this.#frames = this.#frames.slice(-most)
  }

  /** From here on nothing is let go until it is understood. */
  voiceStarted(): void {
    this.#isVoiced = true
  }

  /** What was said is text. */
  understood(): void {
    this.#isVoiced = false
    this.#frames = this.#frames.slice(-PRE_ROLL_FRAMES)
  }

  /** What was said until so long ago is text, and the voice goes on. */
  understoodBut(latestMs: number): void {
    this.#frames = this.#frames.slice(-Math.max(1, Math.ceil(latestMs / FRAME_MS)))
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
