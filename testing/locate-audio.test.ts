import { expect, test } from 'vitest'
import { locateAudio, sliceRecording } from './locate-audio.ts'
import type { Recording } from './speech-server/wav-audio.ts'

const RATE_HZ = 16_000
const SPEECH: Recording = { samples: createPulses(1_500), rateHz: RATE_HZ }
const BOUNDS = { fromMs: 900, toMs: 1_100 }

/** Creates decaying pulses in syllables, like a deep voice. */
function createPulses(durationMs: number): Int16Array {
  let turns = 0
  return Int16Array.from({ length: (durationMs * RATE_HZ) / 1_000 }, (_, index) => {
    const seconds = index / RATE_HZ
    turns += (90 + 15 * Math.sin(4 * seconds)) / RATE_HZ
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.5 * seconds))
    return 12_000 * syllable * Math.exp(-5 * (turns % 1)) * Math.cos(2 * Math.PI * 700 * seconds)
  })
}

/** Creates a recording with one second of silence and `extraSamples` before the pulses, and one second after them. */
function createRecording(extraSamples: number): Recording {
  const samples = new Int16Array(RATE_HZ * 2 + extraSamples + SPEECH.samples.length)
  samples.set(SPEECH.samples, RATE_HZ + extraSamples)
  return { samples, rateHz: RATE_HZ }
}

/** Returns shifts by tenths of a step, none of which is a whole step. */
const listShifts = (stepMs: number) =>
  Array.from({ length: 10 }, (_, index) => Math.round((index * stepMs * RATE_HZ) / 10_000))

test.each([1, 5, 10])('finds audio at any offset (in steps of %i ms)', (stepMs) => {
  for (const extraSamples of listShifts(stepMs)) {
    const { atMs, correlation } = locateAudio(SPEECH, createRecording(extraSamples), { ...BOUNDS, stepMs })
    expect(correlation).toBeGreaterThan(0.98)
    expect(Math.abs(atMs - 1_000 - (extraSamples * 1_000) / RATE_HZ)).toBeLessThan(stepMs / 8)
  }
})

test('does not find audio with a missing part', () => {
  const recording = createRecording(7)
  recording.samples.fill(0, RATE_HZ * 1.4, RATE_HZ * 1.55)
  expect(locateAudio(SPEECH, recording, { ...BOUNDS, stepMs: 5 }).correlation).toBeLessThan(0.95)
  // A delay in transit that is shorter than the recording's tolerance does not change the result either.
  const delayedRecording = createRecording(7)
  delayedRecording.samples.copyWithin(RATE_HZ * 1.53, RATE_HZ * 1.5)
  expect(locateAudio(SPEECH, delayedRecording, { ...BOUNDS, stepMs: 5 }).correlation).toBeLessThan(0.95)
})

test('a match is within the bounds, or before the searched audio', () => {
  const recording = sliceRecording(createRecording(0), 1_300, 3_000)
  const { atMs } = locateAudio(SPEECH, recording, { fromMs: -500, toMs: 500, stepMs: 5 })
  expect(atMs).toBeCloseTo(-300, 0)
  expect(locateAudio(SPEECH, createRecording(0), { fromMs: 0, toMs: 500, stepMs: 5 }).atMs).toBeLessThanOrEqual(500)
})
