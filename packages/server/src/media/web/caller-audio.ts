import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { type AudioMessage, unwrapSample } from '../channel/audio-messages.ts'
import { createFrameCutter, type FrameCutter } from '../frame-cutter.ts'

export interface CallerAudioOptions {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** Whether so many samples, and those that are missing before them, may be taken. */
  readonly mayTake: (samples: number) => boolean
  /** Frames of 20 ms, in their order. */
  readonly onFrame: (frame: Frame, startSample: number) => void
  /** No gap of a caller who is back is taken to be longer. */
  readonly maxGapMs: number
}

/** A caller's end may have recorded so much that has not arrived yet. */
const UNARRIVED_SECONDS = 10

/** The caller's audio over all connections of a call, in one count of samples. */
export class CallerAudio {
  readonly #options: CallerAudioOptions
  readonly #cutter: FrameCutter
  /** What is added to the caller's count: a page that was loaded again starts at 0. */
  #offset = 0
  #mayCountAnew = false
  #lastAudioMs = 0

  constructor(options: CallerAudioOptions) {
    this.#options = options
    this.#cutter = createFrameCutter(options.rateHz, options.onFrame)
  }

  /** `false`: more came than time has passed. */
  push({ startSample, samples }: AudioMessage): boolean {
    if (this.#mayCountAnew) this.#compareCounts(startSample)
    this.#lastAudioMs = this.#options.clock.now()
    const start = this.#placeOf(startSample)
    const advance = start + samples.length - this.#cutter.expectedSample
    if (advance <= 0) return true
    if (!this.#options.mayTake(advance)) return false
    this.#cutter.push(samples, Math.max(0, start))
    return true
  }

  /** Another connection follows, perhaps of a page that was loaded again. */
  reconnect(): void {
    this.#mayCountAnew = true
  }

  /** What the caller's end says that it has recorded, brought to what can be. */
  capturedAt(capturedSamples: number): number {
    const arrived = this.#cutter.expectedSample
    const captured = this.#mayCountAnew ? arrived : capturedSamples + this.#offset
    return Math.min(captured, arrived + this.#options.rateHz * UNARRIVED_SECONDS)
  }

  #placeOf(startSample: number): number {
    return unwrapSample(startSample, this.#cutter.expectedSample - this.#offset) + this.#offset
  }

  /** A caller who is back and counts from before what has arrived counts anew: the time without audio is a gap. */
  #compareCounts(startSample: number): void {
    const { clock, rateHz, maxGapMs } = this.#options
    this.#mayCountAnew = false
    const expected = this.#cutter.expectedSample
    if (this.#placeOf(startSample) >= expected) return
    const silentMs = Math.max(0, Math.min(maxGapMs, clock.now() - this.#lastAudioMs))
    this.#offset = expected + Math.round((silentMs * rateHz) / 1000) - startSample
  }
}
