export const FRAME_MS = 20

/** Sample rates of media legs: 8 kHz for phones, 8 or 16 kHz for browsers. */
export type LegRateHz = 8_000 | 16_000

/** 16-bit mono samples, `FRAME_MS` long. */
export type Frame = Int16Array

/** Number of samples in a shared buffer: 20 frames at 8 kHz. */
const BLOCK_SAMPLES = 3_200

/** Returns a zeroed frame with this many samples. */
export type FrameFactory = (samples: number) => Frame

/**
 * Creates a factory that cuts the frames of one direction of one call from shared blocks, to avoid an off-heap allocation per
 * frame. A retained frame retains its block, and `buffer` contains other frames.
 */
export function createFrameFactory(): FrameFactory {
  let block = new Int16Array(0)
  let usedSamples = 0
  return (samples) => {
    if (samples > BLOCK_SAMPLES) return new Int16Array(samples)
    if (usedSamples + samples > block.length) {
      block = new Int16Array(BLOCK_SAMPLES)
      usedSamples = 0
    }
    usedSamples += samples
    return block.subarray(usedSamples - samples, usedSamples)
  }
}

export function countFrameSamples(rateHz: number): number {
  return (rateHz * FRAME_MS) / 1000
}

/** Level of silence. One step of a 16-bit sample is -90 dB. */
export const SILENCE_DB = -96

const FULL_SCALE = 32_768

/** Computes the RMS level in dB below full scale. */
export function computeLevelDb(samples: Int16Array): number {
  let sum = 0
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number
    sum += sample * sample
  }
  if (sum === 0) return SILENCE_DB
  return Math.max(SILENCE_DB, 10 * Math.log10(sum / samples.length / (FULL_SCALE * FULL_SCALE)))
}

/** Returns the largest absolute sample. */
export function findPeak(samples: Int16Array): number {
  let peak = 0
  for (let index = 0; index < samples.length; index += 1) {
    const magnitude = Math.abs(samples[index] as number)
    if (magnitude > peak) peak = magnitude
  }
  return peak
}
