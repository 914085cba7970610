import type { Frame } from './frame.ts'

/** Loudness that changes within a frame, so that it does not click. */
export interface Fader {
  /** Changes the samples of the next frame. */
  apply(frame: Frame): void
  /** Loudness at the end of the next frame, from 0 to 1. */
  to(gain: number): void
  /** The next frame comes out of silence. */
  fadeIn(): void
}

/** Begins at full loudness. */
export function createFader(): Fader {
  let gain = 1
  let nextGain = 1
  return {
    apply(frame) {
      const from = gain
      gain = nextGain
      if (from === 1 && gain === 1) return
      const slope = (gain - from) / frame.length
      for (let index = 0; index < frame.length; index += 1) {
        frame[index] = Math.round((frame[index] as number) * (from + slope * index))
      }
    },
    to(wanted) {
      nextGain = Math.min(1, Math.max(0, wanted))
    },
    fadeIn() {
      gain = 0
    },
  }
}
