import type { FromProcessor } from './worklet-messages.ts'

/**
 * Tracks how much of the agent's audio the caller has heard: the played samples minus the samples still in the output buffer.
 * The position never decreases and never includes dropped audio.
 */
export class PlayoutPosition {
  readonly #rateHz: number
  #heardSamples = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  read(position: Extract<FromProcessor, { type: 'position' }>, outputDelayMs: number): number {
    const { playedSamples, segmentStart, isIdle } = position
    // When playback is idle, all audio has been either heard or dropped.
    const heardSamples = isIdle ? playedSamples : playedSamples - Math.round((outputDelayMs * this.#rateHz) / 1_000)
    if (heardSamples >= segmentStart) this.#heardSamples = Math.max(this.#heardSamples, heardSamples)
    return this.#heardSamples
  }
}

/** Typical delay of a wired loudspeaker, used if the browser does not report its latency. */
const DEFAULT_OUTPUT_DELAY_MS = 50

/**
 * Returns the delay in milliseconds from playback to the loudspeaker. Firefox gets a constant because reading the latency at
 * the start of a call can block its page forever (Firefox 153 on Linux with PulseAudio).
 */
export function getOutputDelayMs(
  context: Pick<AudioContext, 'outputLatency' | 'baseLatency'>,
  userAgent = navigator.userAgent,
): number {
  if (userAgent.includes('Firefox/')) return DEFAULT_OUTPUT_DELAY_MS
  return (context.outputLatency || context.baseLatency || 0) * 1_000
}
