import type { FromProcessor } from './worklet-messages.ts'

/**
 * Position up to which the caller has heard the agent: played samples minus those on their way to the loudspeaker.
 * Never goes back and never covers dropped audio.
 */
export class PlayoutPosition {
  readonly #rateHz: number
  #reported = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  read(position: Extract<FromProcessor, { type: 'position' }>, outputDelayMs: number): number {
    const { playedSamples, segmentStart, isIdle } = position
    // When idle, the last audio has been heard or dropped.
    const played = isIdle ? playedSamples : playedSamples - Math.round((outputDelayMs * this.#rateHz) / 1_000)
    if (played >= segmentStart) this.#reported = Math.max(this.#reported, played)
    return this.#reported
  }
}

/** Assumed where the browser cannot be asked: a typical wired loudspeaker. */
const ASSUMED_MS = 50

/**
 * Milliseconds from playback to the loudspeaker. Firefox gets a constant, since reading the latency at the start of a
 * call can block its page forever (Firefox 153 on Linux with PulseAudio).
 */
export function outputDelayMs(
  context: Pick<AudioContext, 'outputLatency' | 'baseLatency'>,
  userAgent = navigator.userAgent,
): number {
  if (userAgent.includes('Firefox/')) return ASSUMED_MS
  return (context.outputLatency || context.baseLatency || 0) * 1_000
}
