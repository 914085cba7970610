import { expect, test } from 'vitest'
import { locateAudio, sliceRecording } from './locate-audio.ts'
import type { Recording } from './speech-server/wav-audio.ts'

const RATE_HZ = 16_000
const SPEECH: Recording = { samples: pulses(1_500), rateHz: RATE_HZ }
const BOUNDS = { fromMs: 900, toMs: 1_100 }

/** Pulses that die away, as a deep voice is made of, in syllables. */
function pulses(durationMs: number): Int16Array {
  let turns = 0
  return Int16Array.from({ length: (durationMs * RATE_HZ) / 1_000 }, (_, index) => {
    const seconds = index / RATE_HZ
    turns += (90 + 15 * Math.sin(4 * seconds)) / RATE_HZ
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.5 * seconds))
    return 12_000 * syllable * Math.exp(-5 * (turns % 1)) * Math.cos(2 * Math.PI * 700 * seconds)
  })
}

/** A second of silence and this many samples before it, and a second after it. */
function heard(extraSamples: number): Recording {
  const samples = new Int16Array(RATE_HZ * 2 + extraSamples + SPEECH.samples.length)
  samples.set(SPEECH.samples, RATE_HZ + extraSamples)
  return { samples, rateHz: RATE_HZ }
}

/** Each tenth of a step, none of which is a whole one. */
const shifts = (stepMs: number) =>
  Array.from({ length: 10 }, (_, index) => Math.round((index * stepMs * RATE_HZ) / 10_000))

test.each([1, 5, 10])('a sound is found at any offset (in steps of %i ms)', (stepMs) => {
  for (const extraSamples of shifts(stepMs)) {
    const { atMs, correlation } = locateAudio(SPEECH, heard(extraSamples), { ...BOUNDS, stepMs })
    expect(correlation).toBeGreaterThan(0.98)
    expect(Math.abs(atMs - 1_000 - (extraSamples * 1_000) / RATE_HZ)).toBeLessThan(stepMs / 8)
  }
})

test('a sound with a missing part is not found', () => {
  const recording = heard(7)
  recording.samples.fill(0, RATE_HZ * 1.4, RATE_HZ * 1.55)
  expect(locateAudio(SPEECH, recording, { ...BOUNDS, stepMs: 5 }).correlation).toBeLessThan(0.95)
  // Neither does a delay in transit that is shorter than the tolerance of the recording.
  const late = heard(7)
  late.samples.copyWithin(RATE_HZ * 1.53, RATE_HZ * 1.5)
  expect(locateAudio(SPEECH, late, { ...BOUNDS, stepMs: 5 }).correlation).toBeLessThan(0.95)
})

test('a match is within the bounds, or before the searched audio', () => {
  const recording = sliceRecording(heard(0), 1_300, 3_000)
  const { atMs } = locateAudio(SPEECH, recording, { fromMs: -500, toMs: 500, stepMs: 5 })
  expect(atMs).toBeCloseTo(-300, 0)
  expect(locateAudio(SPEECH, heard(0), { fromMs: 0, toMs: 500, stepMs: 5 }).atMs).toBeLessThanOrEqual(500)
})
