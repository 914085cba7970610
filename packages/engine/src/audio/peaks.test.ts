import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPeaks } from './peaks.ts'

test('returns the minimum and maximum of each window per channel', () => {
  const peaks = createPeaks({ rateHz: 4, channels: 2, perSecond: 2 })
  peaks.push(new Int16Array([1, -1, 5, -9, 3, 0, 2, 7, -4, 100]))
  expect(peaks.finish().map((track) => [...track])).toEqual([
    [1, 5, 2, 3, -4, -4],
    [-9, -1, 0, 7, 100, 100],
  ])
})

test('returns no peaks for empty input', () => {
  expect(createPeaks({ rateHz: 8_000, channels: 2, perSecond: 20 }).finish()).toEqual([
    new Int16Array(0),
    new Int16Array(0),
  ])
})

test('returns the same peaks no matter how the samples are chunked', () => {
  fc.assert(
    fc.property(
      fc.int16Array({ minLength: 1, maxLength: 400 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 50 }),
      (values, cuts, perSecond) => {
        const rateHz = 100
        const wholePeaks = createPeaks({ rateHz, channels: 1, perSecond })
        wholePeaks.push(values)
        const [expectedPeaks = new Int16Array(0)] = wholePeaks.finish()
        const chunkedPeaks = createPeaks({ rateHz, channels: 1, perSecond })
        let offset = 0
        for (const cut of cuts) {
          chunkedPeaks.push(values.subarray(offset, offset + cut))
          offset += cut
        }
        chunkedPeaks.push(values.subarray(offset))
        expect(chunkedPeaks.finish()).toEqual([expectedPeaks])
        expect(Math.min(...expectedPeaks)).toBe(Math.min(...values))
        expect(Math.max(...expectedPeaks)).toBe(Math.max(...values))
        expect(expectedPeaks.length / 2).toBe(Math.floor(((values.length - 1) * perSecond) / rateHz) + 1)
      },
    ),
  )
})
