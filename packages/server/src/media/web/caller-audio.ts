import { countFrameSamples, type Frame, type LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { type AudioMessage, unwrapSample } from '../channel/audio-messages.ts'

interface CallerAudioOptions {
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

/** Splits caller audio into frames of 20 ms. */
interface FrameSplitter {
  /** The next expected sample. */
  readonly expectedSample: number
  /**
   * Adds samples from a position on. Known samples are dropped. After a gap the current frame is padded with silence,
   * and the next one starts behind the gap.
   */
  push(samples: Int16Array, startSample: number): void
}

/** `onFrame` receives frames to keep, with the number of their first sample. */
export function createFrameSplitter(
  rateHz: LegRateHz,
  onFrame: (frame: Frame, startSample: number) => void,
): FrameSplitter {
  const length = countFrameSamples(rateHz)
  let pending = new Int16Array(length)
  let filled = 0
  let expectedSample = 0

  function append(samples: Int16Array): void {
    let taken = 0
    // Pass matching frames on without a copy.
    if (filled === 0 && samples.length === length) {
      expectedSample += length
      onFrame(samples, expectedSample - length)
      return
    }
    while (taken < samples.length) {
      const part = samples.subarray(taken, taken + length - filled)
      pending.set(part, filled)
      filled += part.length
      taken += part.length
      expectedSample += part.length
      if (filled < length) continue
      const frame = pending
      pending = new Int16Array(length)
      filled = 0
      onFrame(frame, expectedSample - length)
    }
  }

  function skipTo(startSample: number): void {
    const missing = startSample - expectedSample
    const fill = filled === 0 ? 0 : Math.min(missing, length - filled)
    if (fill > 0) append(new Int16Array(fill))
    // Padding has filled gaps within a frame.
    expectedSample = startSample
  }

  return {
    get expectedSample() {
      return expectedSample
    },
    push(samples, startSample) {
      if (startSample > expectedSample) skipTo(startSample)
      const known = expectedSample - startSample
      if (known < samples.length) append(known > 0 ? samples.subarray(known) : samples)
    },
  }
}
