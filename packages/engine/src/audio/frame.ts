/** Duration of one audio frame. */
export const FRAME_MS = 20

/** Sample rates of media legs: phones 8 kHz, browsers 8 or 16 kHz. */
export type LegRateHz = 8_000 | 16_000

/** 16-bit mono samples, `FRAME_MS` long. */
export type Frame = Int16Array

/** Frames that share one buffer: 20 at 8 kHz. */
const BLOCK_SAMPLES = 3_200

/** Returns a zeroed frame of this many samples. */
export type FrameFactory = (samples: number) => Frame

/**
 * Cuts the frames of one direction of one call from shared blocks, to avoid an off-heap allocation per frame. A frame
 * that is kept retains its block, and `buffer` contains other frames.
 */
export function createFrameFactory(): FrameFactory {
  let block = new Int16Array(0)
  let used = 0
  return (samples) => {
    if (samples > BLOCK_SAMPLES) return new Int16Array(samples)
    if (used + samples > block.length) {
      block = new Int16Array(BLOCK_SAMPLES)
      used = 0
    }
    used += samples
    return block.subarray(used - samples, used)
  }
}

/** Samples per frame at a rate. */
export function frameSamples(rateHz: number): number {
  return (rateHz * FRAME_MS) / 1000
}
