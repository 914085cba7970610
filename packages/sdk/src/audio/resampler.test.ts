import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Resampler } from './resampler.ts'

function createSine(frequencyHz: number, rateHz: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, index) => Math.sin((2 * Math.PI * frequencyHz * index) / rateHz))
}

function resample(input: Float32Array, fromHz: number, toHz: number): Float32Array {
  const output = new Float32Array(Math.ceil((input.length * toHz) / fromHz) + 4)
  const count = new Resampler(fromHz, toHz).run(input, input.length, output)
  return output.subarray(0, count)
}

/** Returns the gain of a sine and the relative level of all other components. */
function measurePurity(frequencyHz: number, rateHz: number, samples: Float32Array): { gain: number; noiseDb: number } {
  const middle = samples.subarray(Math.floor(samples.length * 0.2), Math.floor(samples.length * 0.8))
  let real = 0
  let imaginary = 0
  for (const [index, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequencyHz * index) / rateHz
    real += (2 * sample * Math.cos(angle)) / middle.length
    imaginary += (2 * sample * Math.sin(angle)) / middle.length
  }
  let noisePower = 0
  for (const [index, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequencyHz * index) / rateHz
    noisePower += (sample - real * Math.cos(angle) - imaginary * Math.sin(angle)) ** 2 / middle.length
  }
  const gain = Math.hypot(real, imaginary)
  return { gain, noiseDb: 10 * Math.log10(noisePower / (gain ** 2 / 2)) }
}

const PAIRS = [
  [48_000, 16_000],
  [48_000, 8_000],
  [44_100, 16_000],
  [44_100, 8_000],
  [96_000, 16_000],
  [16_000, 48_000],
  [8_000, 48_000],
  [16_000, 44_100],
  [8_000, 44_100],
  [16_000, 16_000],
] as const

describe.each(PAIRS)('from %i to %i Hz', (fromHz, toHz) => {
  // The measured segment contains whole periods.
  test('keeps the gain and purity of a tone', () => {
    const { gain, noiseDb } = measurePurity(1_000, toHz, resample(createSine(1_000, fromHz, fromHz), fromHz, toHz))
    expect(gain).toBeCloseTo(1, 2)
    expect(noiseDb).toBeLessThan(-60)
  })

  test('returns exactly the requested number of samples', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }), (blocks) => {
        const resampler = new Resampler(fromHz, toHz)
        for (const count of blocks) {
          const inputCount = resampler.getInputCount(count)
          const outputCount = resampler.run(new Float32Array(inputCount), inputCount, new Float32Array(count))
          expect(outputCount).toBe(count)
        }
      }),
      { numRuns: 20 },
    )
  })
})

test.each([
  [48_000, 16_000, 11_000],
  [48_000, 8_000, 5_500],
  [44_100, 16_000, 12_000],
])('from %i to %i Hz suppresses aliases of %i Hz', (fromHz, toHz, frequencyHz) => {
  const output = resample(createSine(frequencyHz, fromHz, fromHz), fromHz, toHz).subarray(200)
  expect(Math.max(...output.map(Math.abs))).toBeLessThan(0.001)
})

test('returns the same samples for every block size', () => {
  const input = createSine(700, 48_000, 4_800)
  const expectedSamples = resample(input, 48_000, 16_000)
  const resampler = new Resampler(48_000, 16_000)
  const chunks: number[] = []
  const output = new Float32Array(64)
  for (let start = 0; start < input.length; start += 128) {
    const part = input.subarray(start, start + 128)
    chunks.push(...output.subarray(0, resampler.run(part, part.length, output)))
  }
  expect(Float32Array.from(chunks)).toEqual(expectedSamples)
})
