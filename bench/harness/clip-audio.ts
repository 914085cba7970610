import { joinAudio } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { createResampler } from '../../packages/engine/src/audio/resampler.ts'

/** Rate of generated speech and noises. */
export const CLIP_RATE_HZ = 16_000

/** Converts a whole clip to another rate. */
export function convertRate(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = createResampler(fromHz, toHz)
  return joinAudio(resampler.push(samples), resampler.flush())
}
