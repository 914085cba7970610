import { expect, test } from 'vitest'
import { getOutputDelayMs, PlayoutPosition } from './playout-position.ts'

const createPosition = (playedSamples: number, segmentStart: number, isIdle = false) =>
  ({ type: 'position', playedSamples, segmentStart, isIdle, capturedSamples: 0, underruns: 0 }) as const

test('excludes audio on its way to the loudspeaker', () => {
  const position = new PlayoutPosition(16_000)
  expect(position.read(createPosition(3_200, 0), 50)).toBe(2_400)
  expect(position.read(createPosition(3_200, 0, true), 50)).toBe(3_200)
})

test('never goes back and never covers dropped audio', () => {
  const position = new PlayoutPosition(16_000)
  expect(position.read(createPosition(1_000, 0, true), 50)).toBe(1_000)
  // 8,000 samples were dropped. 400 samples of the next chunk were sent to the device, which buffers 800.
  expect(position.read(createPosition(9_400, 9_000), 50)).toBe(1_000)
  expect(position.read(createPosition(9_900, 9_000), 50)).toBe(9_100)
  expect(position.read(createPosition(9_900, 9_000), 100)).toBe(9_100)
})

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

test('uses the output latency of the browser', () => {
  expect(getOutputDelayMs({ outputLatency: 0.03, baseLatency: 0.01 }, CHROME)).toBe(30)
  expect(getOutputDelayMs({ outputLatency: 0, baseLatency: 0.01 }, CHROME)).toBe(10)
})

test('assumes a constant for Firefox, which could block the page', () => {
  const context = {
    baseLatency: 0,
    get outputLatency(): number {
      throw new Error('asked')
    },
  }
  expect(getOutputDelayMs(context, FIREFOX)).toBe(50)
})
