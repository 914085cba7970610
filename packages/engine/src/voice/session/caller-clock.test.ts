import { expect, test } from 'vitest'
import { createCallerClock } from './caller-clock.ts'

const RATE_HZ = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = 160

/** A caller's device that records, and a way to us that takes 30 ms unless it is held up. */
function recording({ driftRatio = 0 } = {}) {
  const clock = createCallerClock(RATE_HZ)
  let nowMs = 1_000_000
  let samples = 0
  const note = (networkDelayMs = 0): void => {
    samples += FRAME_SAMPLES
    clock.note(samples, nowMs + 30 + networkDelayMs)
  }
  return {
    /** How far from the truth the clock places what was just recorded, by our clock. */
    errorMs: () => clock.timeOf(samples) - (nowMs + 30),
    /** It records, and what it records comes as it should. */
    records(durationMs: number): void {
      for (let passed = 0; passed < durationMs; passed += FRAME_MS) {
        nowMs += FRAME_MS * (1 + driftRatio)
        note()
      }
    },
    /** It records, and all of that comes at once. */
    isDelayed(durationMs: number, check: () => void): void {
      for (let passed = 0; passed < durationMs; passed += FRAME_MS) {
        nowMs += FRAME_MS
        note(durationMs - passed - FRAME_MS)
        check()
      }
    },
    /** It stands still: nothing is recorded. */
    isStalled(durationMs: number): void {
      nowMs += durationMs
    },
  }
}

test.each([300, 6_000, 14_900])(
  'what was held up on its way for %i ms was recorded when it was recorded',
  (networkDelayMs) => {
    const caller = recording()
    caller.records(5_000)
    caller.isDelayed(networkDelayMs, () => expect(caller.errorMs()).toBe(0))
    caller.records(10_000)
    expect(caller.errorMs()).toBe(0)
  },
)

test.each([500, 10_000, 60_000])(
  'a device that stood still for %i ms is soon told the right time again',
  (stalledMs) => {
    const caller = recording()
    caller.records(5_000)
    caller.isStalled(stalledMs)
    caller.records(4_000)
    expect(caller.errorMs()).toBe(0)
  },
)

test('a device that was away for longer than any detour is told the right time at once', () => {
  const caller = recording()
  caller.records(5_000)
  caller.isStalled(16_000)
  caller.records(20)
  expect(caller.errorMs()).toBe(0)
})

test('a device whose clock runs slow is followed, however long the call', () => {
  const caller = recording({ driftRatio: 0.005 })
  caller.records(600_000)
  expect(Math.abs(caller.errorMs())).toBeLessThanOrEqual(25)
})
