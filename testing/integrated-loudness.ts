import type { Recording } from './speech-server/wav-audio.ts'

/** Coefficients of a second-order filter, divided by `a0`. */
interface Biquad {
  readonly b: readonly [number, number, number]
  readonly a: readonly [number, number]
}

const BLOCK_SECONDS = 0.4
/** Blocks overlap by 75 %. */
const STEPS_PER_BLOCK = 4
const ABSOLUTE_GATE_LUFS = -70
const RELATIVE_GATE_LU = -10
/** Offset that makes a full-scale sine of 997 Hz in one channel measure −3.01 LUFS. */
const OFFSET_DB = -0.691

/**
 * Returns the integrated loudness of one channel in LUFS (ITU-R BS.1770-4, both gates), or −∞ for silence. The filters are
 * computed for the recording's rate.
 */
export function measureIntegratedLoudness({ samples, rateHz }: Recording): number {
  const weighted = applyFilter(applyFilter(Float64Array.from(samples), buildHighShelf(rateHz)), buildHighPass(rateHz))
  const powers = measureBlockPowers(weighted, rateHz)
  const audible = powers.filter((power) => toLoudness(power) > ABSOLUTE_GATE_LUFS)
  const relativeGate = toLoudness(average(audible)) + RELATIVE_GATE_LU
  return toLoudness(average(audible.filter((power) => toLoudness(power) > relativeGate)))
}

function measureBlockPowers(samples: Float64Array, rateHz: number): number[] {
  const blockLength = Math.round(rateHz * BLOCK_SECONDS)
  const step = Math.round(blockLength / STEPS_PER_BLOCK)
  const powers: number[] = []
  for (let start = 0; start + blockLength <= samples.length; start += step) {
    powers.push(average(samples.subarray(start, start + blockLength).map((sample) => (sample / 32_768) ** 2)))
  }
  return powers
}

function toLoudness(power: number): number {
  return OFFSET_DB + 10 * Math.log10(power)
}

function average(values: ArrayLike<number> & Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value
  return values.length === 0 ? 0 : sum / values.length
}

/** Builds the first stage, which models the head. The parameters reproduce the coefficients that BS.1770 lists for 48 kHz. */
function buildHighShelf(rateHz: number): Biquad {
  const [frequencyHz, gainDb, quality] = [1681.974450955533, 3.999843853973347, 0.7071752369554196]
  const k = Math.tan((Math.PI * frequencyHz) / rateHz)
  const highGain = 10 ** (gainDb / 20)
  const bandGain = highGain ** 0.4996667741545416
  const scale = 1 + k / quality + k * k
  return {
    b: [
      (highGain + (bandGain * k) / quality + k * k) / scale,
      (2 * (k * k - highGain)) / scale,
      (highGain - (bandGain * k) / quality + k * k) / scale,
    ],
    a: [(2 * (k * k - 1)) / scale, (1 - k / quality + k * k) / scale],
  }
}

/** Builds the second stage, a high-pass filter. */
function buildHighPass(rateHz: number): Biquad {
  const [frequencyHz, quality] = [38.13547087602444, 0.5003270373238773]
  const k = Math.tan((Math.PI * frequencyHz) / rateHz)
  const scale = 1 + k / quality + k * k
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / scale, (1 - k / quality + k * k) / scale] }
}

function applyFilter(samples: Float64Array, { b, a }: Biquad): Float64Array {
  let [firstState, secondState] = [0, 0]
  return samples.map((sample) => {
    const output = b[0] * sample + firstState
    firstState = b[1] * sample - a[0] * output + secondState
    secondState = b[2] * sample - a[1] * output
    return output
  })
}
