import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { type AudioMessage, unwrapSample } from '../channel/audio-messages.ts'
import { createFrameSplitter, type FrameSplitter } from '../frame-splitter.ts'

export interface CallerAudioOptions {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** Whether this many samples, including missing ones before them, are within the limits. */
  readonly canTake: (samples: number) => boolean
  /** Receives frames of 20 ms in order. */
  readonly onFrame: (frame: Frame, startSample: number) => void
  /** Longest assumed gap after a reconnect. */
  readonly maxGapMs: number
}

/** Limit of samples captured but not received. */
const MAX_UNARRIVED_SECONDS = 10

/** The caller's audio across all connections of a call, in one sample count. */
export class CallerAudio {
  readonly #options: CallerAudioOptions
  readonly #splitter: FrameSplitter
  /** Added to the client's count, since a reloaded page starts at 0. */
  #offset = 0
  #isCountReset = false
  #lastAudioMs = 0

  constructor(options: CallerAudioOptions) {
    this.#options = options
    this.#splitter = createFrameSplitter(options.rateHz, options.onFrame)
  }

  /** Returns `false` if more audio arrives than time has passed. */
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

  /** The next audio comes over another connection, perhaps from a reloaded page. */
  reconnect(): void {
    this.#isCountReset = true
  }

  /** Clamps the reported capture position to what is possible. */
  capturedAt(capturedSamples: number): number {
    const arrived = this.#splitter.expectedSample
    const captured = this.#isCountReset ? arrived : capturedSamples + this.#offset
    return Math.min(captured, arrived + this.#options.rateHz * MAX_UNARRIVED_SECONDS)
  }

  #toAbsoluteSample(startSample: number): number {
    return unwrapSample(startSample, this.#splitter.expectedSample - this.#offset) + this.#offset
  }

  /** A client that restarts its count has reloaded the page; the time without audio is a gap. */
  #detectReset(startSample: number): void {
    const { clock, rateHz, maxGapMs } = this.#options
    this.#isCountReset = false
    const expected = this.#splitter.expectedSample
    if (this.#toAbsoluteSample(startSample) >= expected) return
    const silentMs = Math.max(0, Math.min(maxGapMs, clock.now() - this.#lastAudioMs))
    this.#offset = expected + Math.round((silentMs * rateHz) / 1000) - startSample
  }
}
