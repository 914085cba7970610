/** Level of silence; one step of a 16-bit sample is -90 dB. */
export const SILENCE_DB = -96

const FULL_SCALE = 32_768

/** RMS level in dB below full scale. */
export function levelDb(samples: Int16Array): number {
  let sum = 0
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number
    sum += sample * sample
  }
  if (sum === 0) return SILENCE_DB
  return Math.max(SILENCE_DB, 10 * Math.log10(sum / samples.length / (FULL_SCALE * FULL_SCALE)))
}

/** Largest absolute sample. */
export function peakOf(samples: Int16Array): number {
  let peak = 0
  for (let index = 0; index < samples.length; index += 1) {
    const distance = Math.abs(samples[index] as number)
    if (distance > peak) peak = distance
  }
  return peak
}
