import { expect, test } from 'vitest'
import { findGaps, findSpeech, type HeardTrace, isSilentAtEnd, measureLoweredMs, measureYieldMs } from './judge.ts'

/** Creates a trace from stretches of volume in decibels; `null` is silence. */
function createTrace(...stretches: readonly (readonly [durationMs: number, db: number | null])[]): HeardTrace {
  const gains = stretches.flatMap(([durationMs, db]) =>
    Array.from({ length: durationMs / 10 }, () => (db === null ? 0 : 10 ** (db / 20))),
  )
  return { gains, levelsDb: gains.map(() => -20) }
}

const EVENT = { startMs: 1_000, endMs: 1_500 }
const WINDOW = { startMs: 1_000, endMs: 4_000 }

test('a gap is more than 100 ms of audio over 20 dB below normal', () => {
  expect(findGaps(createTrace([1_200, 0], [100, null], [3_000, 0]), WINDOW)).toEqual([])
  expect(findGaps(createTrace([1_200, 0], [110, null], [3_000, 0]), WINDOW)).toEqual([{ startMs: 1_200, endMs: 1_310 }])
  expect(findGaps(createTrace([1_200, 0], [500, -19], [500, -21], [3_000, 0]), WINDOW)).toEqual([
    { startMs: 1_700, endMs: 2_200 },
  ])
})

test('a gap before the event does not count, and a gap at its start counts from there', () => {
  expect(findGaps(createTrace([500, 0], [500, null], [3_000, 0]), WINDOW)).toEqual([])
  expect(findGaps(createTrace([500, 0], [700, null], [3_000, 0]), WINDOW)).toEqual([{ startMs: 1_000, endMs: 1_200 }])
})

test('a pause within the played speech is no gap', () => {
  const trace = createTrace([4_000, 0])
  trace.levelsDb.fill(-90, 120, 200)
  expect(findGaps(trace, WINDOW)).toEqual([])
})

test('lowered time counts every step below -3 dB', () => {
  const trace = createTrace([1_100, 0], [200, -6], [300, -2], [100, null], [3_000, 0])
  expect(measureLoweredMs(trace, WINDOW)).toBe(300)
})

test('the agent yields when it stays silent until the caller has finished', () => {
  expect(measureYieldMs(createTrace([1_400, 0], [2_000, null]), EVENT, 4_000)).toBe(400)
  // Lowered by 6 dB first.
  expect(measureYieldMs(createTrace([1_050, 0], [350, -6], [2_000, null]), EVENT, 4_000)).toBe(400)
  // Paused, resumed and then stopped.
  expect(measureYieldMs(createTrace([1_200, 0], [350, null], [200, 0], [2_000, null]), EVENT, 4_000)).toBe(750)
  expect(measureYieldMs(createTrace([1_200, 0], [350, null], [3_000, 0]), EVENT, 4_000)).toBe(null)
  expect(measureYieldMs(createTrace([4_000, 0]), EVENT, 4_000)).toBe(null)
})

test('an answer is given up if the agent is still silent at the end', () => {
  expect(isSilentAtEnd(createTrace([1_500, 0], [2_500, null]), WINDOW)).toBe(true)
  expect(isSilentAtEnd(createTrace([1_500, 0], [2_000, null], [500, 0]), WINDOW)).toBe(false)
  expect(isSilentAtEnd(createTrace([3_600, 0], [400, null]), WINDOW)).toBe(false)
})

test('speech is found where it is audible', () => {
  expect(findSpeech(createTrace([1_500, null], [500, 0]), WINDOW)).toBe(1_500)
  expect(findSpeech(createTrace([1_500, null], [500, -40], [500, 0]), WINDOW)).toBe(2_000)
  const trace = createTrace([4_000, 0])
  trace.levelsDb.fill(-60, 0, 150)
  expect(findSpeech(trace, WINDOW)).toBe(1_500)
  expect(findSpeech(createTrace([4_000, null]), WINDOW)).toBe(null)
})
