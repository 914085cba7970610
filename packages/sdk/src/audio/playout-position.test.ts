import { expect, test } from 'vitest'
import { PlayoutPosition } from './playout-position.ts'

const position = (playedSamples: number, segmentStart: number, isIdle = false) =>
  ({ type: 'position', playedSamples, segmentStart, isIdle, capturedSamples: 0, underruns: 0 }) as const

test('what is on its way to the ear does not count as heard', () => {
  const heard = new PlayoutPosition(16_000)
  expect(heard.read(position(3_200, 0), 50)).toBe(2_400)
  expect(heard.read(position(3_200, 0, true), 50)).toBe(3_200)
})

test('never goes back, and never into what was dropped', () => {
  const heard = new PlayoutPosition(16_000)
  expect(heard.read(position(1_000, 0, true), 50)).toBe(1_000)
  // 8,000 samples were dropped; of the next piece 400 were handed to the device, which holds 800.
  expect(heard.read(position(9_400, 9_000), 50)).toBe(1_000)
  expect(heard.read(position(9_900, 9_000), 50)).toBe(9_100)
  expect(heard.read(position(9_900, 9_000), 100)).toBe(9_100)
})
