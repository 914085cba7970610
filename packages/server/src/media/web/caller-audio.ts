import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { type AudioMessage, unwrapSample } from '../channel/audio-messages.ts'
import { createFrameSplitter, type FrameSplitter } from '../frame-splitter.ts'

export interface CallerAudioOptions {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** Whether so many samples, and those that are missing before them, may be taken. */
  readonly canTake: (samples: number) => boolean
  /** Frames of 20 ms, in their order. */
  readonly onFrame: (frame: Frame, startSample: number) => void
  /** No gap of a caller who is back is taken to be longer. */
  readonly maxGapMs: number
}

/** A caller's end may have recorded so much that has not arrived yet. */
const MAX_UNARRIVED_SECONDS = 10

/** The caller's audio over all connections of a call, in one count of samples. */
export class CallerAudio {
  readonly #options: CallerAudioOptions
  readonly #splitter: FrameSplitter
  /** What is added to the caller's count: a page that was loaded again starts at 0. */
  #offset = 0
  #isCountReset = false
  #lastAudioMs = 0

  constructor(options: CallerAudioOptions) {
    this.#options = options
    this.#splitter = createFrameSplitter(options.rateHz, options.onFrame)
  }

  /** `false`: more came than time has passed. */
  push({ startSample, samples }: AudioMessage): boolean {
    if (this.#isCountReset) this.#detectReset(startSample)
    this.#lastAudioMs = this.#options.clock.now()
    const start = this.#toAbsoluteSample(startSample)
    const advance = start + samples.length - this.#splitter.expectedSample
    if (advance <= 0) return true
    if (!this.#options.canTake(advance)) return false
    this.#splitter.push(samples, Math.max(0, start))
    return true
  }

  /** Another connection follows, perhaps of a page that was loaded again. */
  reconnect(): void {
    this.#isCountReset = true
  }

  /** What the caller's end says that it has recorded, brought to what can be. */
  capturedAt(capturedSamples: number): number {
    const arrived = this.#splitter.expectedSample
    const captured = this.#isCountReset ? arrived : capturedSamples + this.#offset
    return Math.min(captured, arrived + this.#options.rateHz * MAX_UNARRIVED_SECONDS)
  }

  #toAbsoluteSample(startSample: number): number {
    return unwrapSample(startSample, this.#splitter.expectedSample - this.#offset) + this.#offset
  }

  /** A caller who is back and counts from before what has arrived counts anew: the time without audio is a gap. */
  #detectReset(startSample: number): void {
    const { clock, rateHz, maxGapMs } = this.#options
    this.#isCountReset = false
    const expected = this.#splitter.expectedSample
    if (this.#toAbsoluteSample(startSample) >= expected) return
    const silentMs = Math.max(0, Math.min(maxGapMs, clock.now() - this.#lastAudioMs))
    this.#offset = expected + Math.round((silentMs * rateHz) / 1000) - startSample
  }
}
