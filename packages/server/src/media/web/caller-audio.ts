import { countFrameSamples, type Frame, type LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { type AudioMessage, unwrapSample } from '../channel/audio-messages.ts'

interface CallerAudioOptions {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** Counts samples, including missing samples before them. Returns false if the limit is exceeded. */
  readonly takeSamples: (samples: number) => boolean
  /** Receives frames of 20 ms in order. */
  readonly onFrame: (frame: Frame, startSample: number) => void
  /** Maximum gap assumed after a reconnect. */
  readonly maxGapMs: number
}

/** Maximum duration of audio that was captured but not received. */
const MAX_UNRECEIVED_SECONDS = 10

/** The caller's audio across all connections of a call, with one continuous sample count. */
export class CallerAudio {
  readonly #options: CallerAudioOptions
  readonly #splitter: FrameSplitter
  /** Added to the client's sample numbers, because a reloaded page starts at 0. */
  #offset = 0
  #mayHaveReset = false
  #lastAudioMs = 0

  constructor(options: CallerAudioOptions) {
    this.#options = options
    this.#splitter = createFrameSplitter(options.rateHz, options.onFrame)
  }

  /** Adds received audio. Returns false if the audio limit is exceeded. */
  push({ startSample, samples }: AudioMessage): boolean {
    if (this.#mayHaveReset) this.#detectReset(startSample)
    this.#lastAudioMs = this.#options.clock.now()
    const start = this.#toAbsoluteSample(startSample)
    const newSampleCount = start + samples.length - this.#splitter.expectedSample
    if (newSampleCount <= 0) return true
    if (!this.#options.takeSamples(newSampleCount)) return false
    this.#splitter.push(samples, Math.max(0, start))
    return true
  }

  /** Prepares for audio from another connection, possibly from a reloaded page. */
  reconnect(): void {
    this.#mayHaveReset = true
  }

  /** Clamps the reported capture position to the possible range. */
  clampCapturedPosition(capturedSamples: number): number {
    const receivedSamples = this.#splitter.expectedSample
    const position = this.#mayHaveReset ? receivedSamples : capturedSamples + this.#offset
    return Math.min(position, receivedSamples + this.#options.rateHz * MAX_UNRECEIVED_SECONDS)
  }

  #toAbsoluteSample(startSample: number): number {
    return unwrapSample(startSample, this.#splitter.expectedSample - this.#offset) + this.#offset
  }

  /** Detects a client that restarts its count after reloading the page. The time without audio becomes a gap. */
  #detectReset(startSample: number): void {
    const { clock, rateHz, maxGapMs } = this.#options
    this.#mayHaveReset = false
    const expectedSample = this.#splitter.expectedSample
    if (this.#toAbsoluteSample(startSample) >= expectedSample) return
    const gapMs = Math.max(0, Math.min(maxGapMs, clock.now() - this.#lastAudioMs))
    this.#offset = expectedSample + Math.round((gapMs * rateHz) / 1000) - startSample
  }
}

/** Splits caller audio into frames of 20 ms. */
interface FrameSplitter {
  /** The next expected sample. */
  readonly expectedSample: number
  /**
   * Adds samples, starting at a position. Drops samples that were already received. After a gap, the current frame is padded
   * with silence and the next frame starts after the gap.
   */
  push(samples: Int16Array, startSample: number): void
}

/** Creates a frame splitter. `onFrame` receives frames that it can retain, with the number of their first sample. */
export function createFrameSplitter(
  rateHz: LegRateHz,
  onFrame: (frame: Frame, startSample: number) => void,
): FrameSplitter {
  const frameLength = countFrameSamples(rateHz)
  let frameBuffer = new Int16Array(frameLength)
  let filledSamples = 0
  let expectedSample = 0

  function appendSamples(samples: Int16Array): void {
    let consumedSamples = 0
    // Forwards complete frames without copying.
    if (filledSamples === 0 && samples.length === frameLength) {
      expectedSample += frameLength
      onFrame(samples, expectedSample - frameLength)
      return
    }
    while (consumedSamples < samples.length) {
      const part = samples.subarray(consumedSamples, consumedSamples + frameLength - filledSamples)
      frameBuffer.set(part, filledSamples)
      filledSamples += part.length
      consumedSamples += part.length
      expectedSample += part.length
      if (filledSamples < frameLength) continue
      const frame = frameBuffer
      frameBuffer = new Int16Array(frameLength)
      filledSamples = 0
      onFrame(frame, expectedSample - frameLength)
    }
  }

  function skipToSample(startSample: number): void {
    const gapSamples = startSample - expectedSample
    const paddingSamples = filledSamples === 0 ? 0 : Math.min(gapSamples, frameLength - filledSamples)
    if (paddingSamples > 0) appendSamples(new Int16Array(paddingSamples))
    // Padding has already advanced the position within a frame.
    expectedSample = startSample
  }

  return {
    get expectedSample() {
      return expectedSample
    },
    push(samples, startSample) {
      if (startSample > expectedSample) skipToSample(startSample)
      const overlap = expectedSample - startSample
      if (overlap < samples.length) appendSamples(overlap > 0 ? samples.subarray(overlap) : samples)
    },
  }
}
