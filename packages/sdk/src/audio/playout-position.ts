import type { FromProcessor } from './worklet-messages.ts'

/**
 * How far into the agent's sound the caller has heard: what was handed to the loudspeaker, less what is still on its way. Never
 * goes back, and never claims sound that was dropped or lost between two pieces.
 */
export class PlayoutPosition {
  readonly #rateHz: number
  #reported = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  read(position: Extract<FromProcessor, { type: 'position' }>, outputDelayMs: number): number {
    const { playedSamples, segmentStart, isIdle } = position
    // At rest the last sound is out, or was dropped: what is on its way then cannot be called back.
    const played = isIdle ? playedSamples : playedSamples - Math.round((outputDelayMs * this.#rateHz) / 1_000)
    if (played >= segmentStart) this.#reported = Math.max(this.#reported, played)
    return this.#reported
  }
}
