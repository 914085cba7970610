import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Resampler } from './resampler.ts'

function sine(frequencyHz: number, rateHz: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, index) => Math.sin((2 * Math.PI * frequencyHz * index) / rateHz))
}

function convert(input: Float32Array, fromHz: number, toHz: number): Float32Array {
  const output = new Float32Array(Math.ceil((input.length * toHz) / fromHz) + 4)
  const count = new Resampler(fromHz, toHz).run(input, input.length, output)
  return output.subarray(0, count)
}

/** Loudness of what is left when the best sine of this frequency is taken out, in decibels below it. */
function purity(frequencyHz: number, rateHz: number, samples: Float32Array): { gain: number; noiseDb: number } {
  const middle = samples.subarray(Math.floor(samples.length * 0.2), Math.floor(samples.length * 0.8))
  let real = 0
  let imaginary = 0
  for (const [index, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequencyHz * index) / rateHz
    real += (2 * sample * Math.cos(angle)) / middle.length
    imaginary += (2 * sample * Math.sin(angle)) / middle.length
  }
  let rest = 0
  for (const [index, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequencyHz * index) / rateHz
    rest += (sample - real * Math.cos(angle) - imaginary * Math.sin(angle)) ** 2 / middle.length
  }
  const gain = Math.hypot(real, imaginary)
  return { gain, noiseDb: 10 * Math.log10(rest / (gain ** 2 / 2)) }
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

describe.each(PAIRS)('from %i to %i', (fromHz, toHz) => {
  // Whole periods fit into the stretch that is looked at.
  test('a tone keeps its loudness and stays pure', () => {
    const { gain, noiseDb } = purity(1_000, toHz, convert(sine(1_000, fromHz, fromHz), fromHz, toHz))
    expect(gain).toBeCloseTo(1, 2)
    expect(noiseDb).toBeLessThan(-60)
  })

  test('makes exactly what it says for what it asks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }), (blocks) => {
        const resampler = new Resampler(fromHz, toHz)
        for (const count of blocks) {
          const needed = resampler.inputFor(count)
          const made = resampler.run(new Float32Array(needed), needed, new Float32Array(count))
          expect(made).toBe(count)
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
])('from %i to %i, a tone of %i Hz does not come back as another', (fromHz, toHz, frequencyHz) => {
  const output = convert(sine(frequencyHz, fromHz, fromHz), fromHz, toHz).subarray(200)
  expect(Math.max(...output.map(Math.abs))).toBeLessThan(0.001)
})

test('the size of the blocks does not matter', () => {
  const input = sine(700, 48_000, 4_800)
  const whole = convert(input, 48_000, 16_000)
  const resampler = new Resampler(48_000, 16_000)
  const chunks: number[] = []
  const output = new Float32Array(64)
  for (let from = 0; from < input.length; from += 128) {
    const part = input.subarray(from, from + 128)
    chunks.push(...output.subarray(0, resampler.run(part, part.length, output)))
  }
  expect(Float32Array.from(chunks)).toEqual(whole)
})
