import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTone, createWhiteNoise, joinAudio, measureAmplitude } from './generated-audio-test-kit.ts'
import { createResampler } from './resampler.ts'

const RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]
const PAIRS = RATES.flatMap((fromHz) => RATES.filter((toHz) => toHz !== fromHz).map((toHz) => [fromHz, toHz] as const))

function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = createResampler(fromHz, toHz)
  return joinAudio(resampler.push(samples), resampler.flush())
}

function toDecibels(ratio: number): number {
  return 20 * Math.log10(ratio)
}

describe.each(PAIRS)('from %i to %i Hz', (fromHz, toHz) => {
  const lowerHz = Math.min(fromHz, toHz)

  test('preserves tones below the cutoff in level and time', () => {
    for (const hz of [100, 0.1 * lowerHz, 0.25 * lowerHz, 0.33 * lowerHz]) {
      const input = createTone({ rateHz: fromHz, durationMs: 250, amplitude: 10_000 }, hz)
      const output = resample(input, fromHz, toHz)
      const expectedOutput = createTone({ rateHz: toHz, durationMs: 250, amplitude: 10_000 }, hz)
      const margin = Math.round(toHz / 100)
      let maxError = 0
      for (let index = margin; index < expectedOutput.length - margin; index += 1) {
        maxError = Math.max(maxError, Math.abs((output[index] ?? 0) - (expectedOutput[index] ?? 0)))
      }
      expect(maxError).toBeLessThan(60)
    }
  })

  test('attenuates aliases and images by 70 dB', () => {
    const amplitude = 30_000
    if (toHz < fromHz) {
      for (const ratio of [0.56, 0.6, 0.75, 0.9, 1.1]) {
        if (ratio * toHz >= fromHz / 2) continue
        const output = resample(createTone({ rateHz: fromHz, durationMs: 250, amplitude }, ratio * toHz), fromHz, toHz)
        const aliasHz = ratio <= 1 ? (1 - ratio) * toHz : (ratio - 1) * toHz
        expect(toDecibels(measureAmplitude(output.subarray(200, -200), aliasHz, toHz) / amplitude)).toBeLessThan(-70)
      }
      return
    }
    for (const ratio of [0.1, 0.25, 0.4]) {
      const output = resample(createTone({ rateHz: fromHz, durationMs: 250, amplitude }, ratio * fromHz), fromHz, toHz)
      const imageHz = (1 - ratio) * fromHz
      if (imageHz >= toHz / 2) continue
      expect(toDecibels(measureAmplitude(output.subarray(200, -200), imageHz, toHz) / amplitude)).toBeLessThan(-70)
    }
  })

  test('returns all samples of a long stream', () => {
    const inputSamples = fromHz * 12 + 7
    const resampler = createResampler(fromHz, toHz)
    const frame = new Int16Array(Math.round(fromHz / 50))
    let outputSamples = 0
    for (let sentSamples = 0; sentSamples < inputSamples; sentSamples += frame.length) {
      outputSamples += resampler.push(frame.subarray(0, Math.min(frame.length, inputSamples - sentSamples))).length
    }
    outputSamples += resampler.flush().length
    expect(outputSamples).toBe(Math.ceil((inputSamples * toHz) / fromHz))
  })
})

test('returns the same samples no matter how the input is chunked', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PAIRS),
      fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 12 }),
      ([fromHz, toHz], cuts) => {
        const noise = createWhiteNoise({ rateHz: fromHz, durationMs: 100, amplitude: 20_000 })
        const resampler = createResampler(fromHz, toHz)
        const parts: Int16Array[] = []
        let offset = 0
        for (const cut of cuts) {
          parts.push(resampler.push(noise.subarray(offset, offset + cut)))
          offset += cut
        }
        parts.push(resampler.push(noise.subarray(offset)), resampler.flush())
        expect(joinAudio(...parts)).toEqual(resample(noise, fromHz, toHz))
      },
    ),
    { numRuns: 60 },
  )
})

test('starts a new stream after a flush', () => {
  const resampler = createResampler(16_000, 8_000)
  const noise = createWhiteNoise({ rateHz: 16_000, durationMs: 50, amplitude: 20_000 })
  const firstOutput = joinAudio(resampler.push(noise), resampler.flush())
  expect(joinAudio(resampler.push(noise), resampler.flush())).toEqual(firstOutput)
})

test('clips instead of wrapping around', () => {
  const square = new Int16Array(800).map((_, index) => (Math.floor(index / 20) % 2 === 0 ? 32_767 : -32_768))
  for (const [index, sample] of resample(square, 8_000, 16_000).entries()) {
    const isPositive = Math.floor(index / 40) % 2 === 0
    const isInside = index % 40 > 4 && index % 40 < 36
    if (isInside) expect(sample > 0).toBe(isPositive)
  }
})

test('bounds the memory of cached filters', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const measureRetainedBytes = () => {
    // The first collection frees buffers in the background, and the second one waits for it.
    for (let round = 0; round < 2; round += 1) collectGarbage()
    return process.memoryUsage().arrayBuffers
  }
  const initialBytes = measureRetainedBytes()
  for (let rateHz = 47_989; rateHz < 48_000; rateHz += 1) createResampler(rateHz, 16_000)
  expect(measureRetainedBytes() - initialBytes).toBeLessThan(30_000_000)
})

test('copies the samples if both rates are equal', () => {
  const samples = new Int16Array([1, 2, 3])
  const copy = createResampler(8_000, 8_000).push(samples)
  expect(copy).toEqual(samples)
  expect(copy).not.toBe(samples)
})
