import { expect, test } from 'vitest'
import { findGaps, measureLoweredMs } from './judge.ts'
import { CallerPlayback } from './playback.ts'

const RATE_HZ = 16_000
const STEP_SAMPLES = RATE_HZ / 100

function createPlayback(durationMs: number): { playback: CallerPlayback; play: (durationMs: number) => void } {
  const playback = new CallerPlayback(RATE_HZ)
  playback.push(0, new Int16Array((RATE_HZ * durationMs) / 1_000).fill(8_000))
  return {
    playback,
    play(timeMs) {
      for (let elapsedMs = 0; elapsedMs < timeMs; elapsedMs += 10) playback.play(STEP_SAMPLES)
    },
  }
}

test('audio plays at full volume until it ends', () => {
  const { playback, play } = createPlayback(500)
  play(700)
  expect(playback.played).toBe(RATE_HZ / 2)
  expect(playback.trace.gains.slice(0, 50)).toEqual(Array(50).fill(1))
  expect(findGaps(playback.trace, { startMs: 0, endMs: 700 })).toEqual([{ startMs: 500, endMs: 700 }])
})

test('`gain` lowers the volume within its ramp and restores it', () => {
  const { playback, play } = createPlayback(1_000)
  play(100)
  playback.setGain(-6, 60)
  play(200)
  expect(playback.trace.gains.at(-1)).toBeCloseTo(10 ** (-6 / 20), 5)
  playback.setGain(0, 60)
  play(200)
  expect(playback.trace.gains.at(-1)).toBe(1)
  expect(findGaps(playback.trace, { startMs: 0, endMs: 500 })).toEqual([])
  // The ramps cross -3 dB after 35 ms on the way down and 25 ms on the way up.
  expect(measureLoweredMs(playback.trace, { startMs: 0, endMs: 500 })).toBe(180)
})

test('`clear` silences the caller within a step', () => {
  const { playback, play } = createPlayback(1_000)
  play(100)
  playback.clear()
  play(300)
  expect(findGaps(playback.trace, { startMs: 100, endMs: 400 })).toEqual([{ startMs: 110, endMs: 400 }])
})
