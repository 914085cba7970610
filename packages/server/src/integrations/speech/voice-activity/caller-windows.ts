import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import { countWindowSamples } from './silero-protocol.ts'

/** A window of the caller's audio. */
export interface AudioWindow {
  /** A view of the samples, which later windows overwrite. */
  readonly samples: Int16Array
  /** The caller's sample at which the window ends. */
  readonly endSample: number
  /** Whether any frame in the window was accepted. */
  readonly isAccepted: boolean
}

/** Number of complete windows to keep. */
const PRE_ROLL_WINDOWS = 8

/** Cuts frames into windows and keeps the last ones. */
export class CallerWindows {
  readonly #windowSamples: number
  readonly #history: Int16Array
  /** Index of the window that is being filled. */
  #index = 0
  #filledSamples = 0
  #isAccepted = false
  #windowCount = 0

  constructor(rateHz: LegRateHz) {
    this.#windowSamples = countWindowSamples(rateHz)
    this.#history = new Int16Array(this.#windowSamples * (PRE_ROLL_WINDOWS + 1))
  }

  /** Adds a frame and calls `onWindow` for each completed window. */
  push(
    frame: Frame,
    { startSample, isAccepted }: { readonly startSample: number; readonly isAccepted: boolean },
    onWindow: (window: AudioWindow) => void,
  ): void {
    let offset = 0
    while (offset < frame.length) {
      const count = Math.min(frame.length - offset, this.#windowSamples - this.#filledSamples)
      const start = this.#index * this.#windowSamples
      this.#history.set(frame.subarray(offset, offset + count), start + this.#filledSamples)
      this.#isAccepted ||= isAccepted
      this.#filledSamples += count
      offset += count
      if (this.#filledSamples < this.#windowSamples) return
      const samples = this.#history.subarray(start, start + this.#windowSamples)
      const window = { samples, endSample: startSample + offset, isAccepted: this.#isAccepted }
      this.#index = (this.#index + 1) % (PRE_ROLL_WINDOWS + 1)
      this.#windowCount += 1
      this.#filledSamples = 0
      this.#isAccepted = false
      onWindow(window)
    }
  }

  /** Returns the samples of the windows before the last one, oldest first. */
  listPreRoll(): Int16Array[] {
    const count = Math.min(PRE_ROLL_WINDOWS - 1, this.#windowCount - 1)
    return Array.from({ length: count }, (_, position) => {
      const age = count - position + 1
      const index = (this.#index - age + PRE_ROLL_WINDOWS + 1) % (PRE_ROLL_WINDOWS + 1)
      return this.#history.subarray(index * this.#windowSamples, (index + 1) * this.#windowSamples)
    })
  }
}
