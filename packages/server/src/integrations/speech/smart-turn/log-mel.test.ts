import { createBabble, createTone, createWhiteNoise } from '@parley/engine/audio/generated-audio-test-kit'
import { describe, expect, test } from 'vitest'
import { computeLogMel, MEL_BANDS, MEL_FRAMES, MODEL_RATE_HZ, MODEL_SAMPLES } from './log-mel.ts'

const FRAME_SAMPLES = 400
const HOP_SAMPLES = 160

/** Returns the last 8 s after silence, normalized. Written from the definition, without regard to speed. */
function normalizeSlowly(samples: Int16Array): number[] {
  const recent = [...samples.subarray(-MODEL_SAMPLES)].map((sample) => sample / 32_768)
  const audio = [...Array.from({ length: MODEL_SAMPLES - recent.length }, () => 0), ...recent]
  const mean = audio.reduce((sum, value) => sum + value, 0) / MODEL_SAMPLES
  const variance = audio.reduce((sum, value) => sum + (value - mean) ** 2, 0) / MODEL_SAMPLES
  return audio.map((value) => (value - mean) / Math.sqrt(variance + 1e-7))
}

/** Returns the power of each frequency in the frame centered at `frame` hops, by a direct Fourier transform. */
function transformSlowly(audio: readonly number[], frame: number): number[] {
  const values = Array.from({ length: FRAME_SAMPLES }, (_, index) => {
    const position = frame * HOP_SAMPLES - FRAME_SAMPLES / 2 + index
    const mirrored =
      position < 0 ? -position : position >= MODEL_SAMPLES ? 2 * (MODEL_SAMPLES - 1) - position : position
    return (audio[mirrored] ?? 0) * Math.sin((Math.PI * index) / FRAME_SAMPLES) ** 2
  })
  return Array.from({ length: FRAME_SAMPLES / 2 + 1 }, (_, bin) => {
    const angle = (2 * Math.PI * bin) / FRAME_SAMPLES
    const real = values.reduce((sum, value, index) => sum + value * Math.cos(angle * index), 0)
    const imaginary = values.reduce((sum, value, index) => sum + value * Math.sin(angle * index), 0)
    return real ** 2 + imaginary ** 2
  })
}

function toMel(hz: number): number {
  return hz < 1_000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1_000)) / Math.log(6.4)
}

function toHz(mel: number): number {
  return mel < 15 ? (200 * mel) / 3 : 1_000 * 6.4 ** ((mel - 15) / 27)
}

/** Edges and centers of the bands. */
const EDGES_HZ = Array.from({ length: MEL_BANDS + 2 }, (_, index) => toHz((toMel(8_000) * index) / (MEL_BANDS + 1)))

/** Returns the logarithmic power of a band, before values are limited and scaled. */
function applyBandSlowly(power: readonly number[], band: number): number {
  const [low = 0, center = 0, high = 0] = EDGES_HZ.slice(band)
  const sum = power.reduce((total, value, bin) => {
    const hz = bin * (MODEL_RATE_HZ / FRAME_SAMPLES)
    const rising = (hz - low) / (center - low)
    const falling = (high - hz) / (high - center)
    return total + (Math.max(0, Math.min(rising, falling)) * 2 * value) / (high - low)
  }, 0)
  return Math.log10(Math.max(1e-10, sum))
}

const signal = { rateHz: MODEL_RATE_HZ, durationMs: 8_000, amplitude: 9_000 }

describe.each([
  ['noise', createWhiteNoise(signal)],
  ['speech-like audio of 2.5 s', createBabble({ ...signal, durationMs: 2_500 })],
  ['audio of more than 8 s', createBabble({ ...signal, durationMs: 9_123 })],
  ['a sweep', createTone(signal, 440).map((sample, index) => Math.round((sample * index) / MODEL_SAMPLES))],
])('features of %s', (_, samples) => {
  test('equal those of a direct calculation', () => {
    const features = computeLogMel(samples)
    // The loudest value determines the floor of all others.
    const floor = features.reduce((largest, value) => Math.max(largest, value), -2) - 2
    const audio = normalizeSlowly(samples)
    for (const frame of [0, 1, 550, 799]) {
      const power = transformSlowly(audio, frame)
      for (let band = 0; band < MEL_BANDS; band += 1) {
        const expected = Math.max(floor, (applyBandSlowly(power, band) + 4) / 4)
        expect(Math.abs((features[band * MEL_FRAMES + frame] ?? 0) - expected)).toBeLessThan(1e-4)
      }
    }
  })
})

test.each([200, 440, 1_000, 2_500, 6_000])('a tone of %i Hz is in its band', (hz) => {
  const features = computeLogMel(createTone(signal, hz))
  const levels = Array.from({ length: MEL_BANDS }, (_, band) => features[band * MEL_FRAMES + 400] ?? 0)
  const loudestBand = levels.indexOf(Math.max(...levels))
  expect(EDGES_HZ[loudestBand] ?? 0).toBeLessThan(hz)
  expect(EDGES_HZ[loudestBand + 2] ?? 0).toBeGreaterThan(hz)
})

test('does not depend on the loudness, and is finite for silence', () => {
  const loud = createBabble({ ...signal, amplitude: 20_000 })
  const quiet = loud.map((sample) => Math.round(sample / 4))
  const [loudFeatures, quietFeatures] = [computeLogMel(loud), computeLogMel(quiet)]
  const maxDifference = loudFeatures.reduce((largest, value, index) => {
    return Math.max(largest, Math.abs(value - (quietFeatures[index] ?? 0)))
  }, 0)
  expect(maxDifference).toBeLessThan(0.1)
  expect(new Set(computeLogMel(new Int16Array(0)))).toEqual(new Set([-1.5]))
})
