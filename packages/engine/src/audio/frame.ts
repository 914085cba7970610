/** Milliseconds of one frame of sound: what phones, browsers and detectors of voice deal in. */
export const FRAME_MS = 20

/** Sample rates that legs carry: phones 8 kHz, browsers 8 or 16 kHz. */
export type LegRateHz = 8_000 | 16_000

/** 16-bit samples, one channel, `FRAME_MS` long at the rate of whoever hands it on. */
export type Frame = Int16Array

/** Frames that share one piece of memory: 20 at 8 kHz. */
const BLOCK_SAMPLES = 3_200

/** Silence of so many samples, to be filled. */
export type FrameFactory = (samples: number) => Frame

/**
 * Makes the frames of one direction of one call. They are cut from blocks of memory, so that not each of the thousands a second
 * of many calls costs an allocation outside of the heap: `buffer` holds other frames as well. For one call only, since whoever
 * keeps a frame keeps its block.
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

/** Samples of one frame at a rate. */
export function frameSamples(rateHz: number): number {
  return (rateHz * FRAME_MS) / 1000
}
