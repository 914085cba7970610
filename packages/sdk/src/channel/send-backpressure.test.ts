import { expect, test } from 'vitest'
import { SendBackpressure } from './send-backpressure.ts'

test('a line that stays full is too slow, until it has caught up', () => {
  const line = new SendBackpressure()
  const asked: readonly (readonly [nowMs: number, bufferedBytes: number, isFull: boolean])[] = [
    [0, 32_000, false],
    [20, 33_000, false],
    [250, 33_000, false],
    [270, 33_000, true],
    [290, 32_001, true],
    [310, 32_000, false],
    [330, 33_000, false],
    [500, 1_000, false],
    [520, 33_000, false],
    [760, 33_000, false],
    [770, 33_000, true],
  ]
  expect(asked.map(([nowMs, bufferedBytes]) => line.isFull(bufferedBytes, nowMs))).toEqual(
    asked.map(([, , isFull]) => isFull),
  )
})

test('what is sent at once is less than a server takes', () => {
  const line = new SendBackpressure()
  const maxFrames = (frameBytes: number): number => {
    let frames = 0
    while (!line.isFull(frames * frameBytes, 0)) frames += 1
    return frames
  }
  for (const rateHz of [8_000, 16_000]) {
    const seconds = maxFrames(4 + (rateHz * 2) / 50) / 50
    expect(seconds).toBeGreaterThan(5)
    expect(seconds).toBeLessThan(19)
  }
})
