import { type Frame, frameSamples, type LegRateHz } from '@parley/engine/audio/frame'

/** Splits caller audio into frames of 20 ms. */
export interface FrameSplitter {
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
  const length = frameSamples(rateHz)
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
