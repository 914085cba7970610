import { type Frame, frameSamples, type LegRateHz } from '@parley/engine/audio/frame'

/** Cuts what a caller sends into frames of 20 ms. */
export interface FrameSplitter {
  /** The sample after all that was taken. */
  readonly expectedSample: number
  /**
   * Takes samples that begin at this one of the caller's count. What was taken before is left out; where some are missing,
   * the next frame begins behind the gap, and what is left of the one before it is filled up with silence.
   */
  push(samples: Int16Array, startSample: number): void
}

/** `onFrame` gets frames to keep, each with the number of its first sample. */
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
    // What comes as it should is handed on as it came.
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
    // Shorter than the rest of its frame, the gap is filled by now.
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
