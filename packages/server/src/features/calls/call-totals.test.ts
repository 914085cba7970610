import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitRange } from './call-totals.ts'

const WEEK_MS = 604_800_000

test('an open range needs nothing beside its periods', () => {
  expect(splitRange(undefined, undefined)).toEqual({ periods: { first: null, last: null }, remainders: [] })
  expect(splitRange(0, 2 * WEEK_MS - 1)).toEqual({ periods: { first: 0, last: 1 }, remainders: [] })
})

test('what lies beside whole periods is counted on its own', () => {
  expect(splitRange(WEEK_MS - 5, 2 * WEEK_MS + 7)).toEqual({
    periods: { first: 1, last: 1 },
    remainders: [
      { from: WEEK_MS - 5, to: WEEK_MS - 1 },
      { from: 2 * WEEK_MS, to: 2 * WEEK_MS + 7 },
    ],
  })
  expect(splitRange(5, 9)).toEqual({ periods: null, remainders: [{ from: 5, to: 9 }] })
  expect(splitRange(9, 5)).toEqual({ periods: null, remainders: [] })
})

test('every instant of the range is in exactly one part, and no other in any', () => {
  const bound = fc.option(fc.integer({ min: 0, max: 5 * WEEK_MS }), { nil: undefined })
  const instant = fc.oneof(
    fc.integer({ min: 0, max: 5 * WEEK_MS }),
    fc.tuple(fc.nat(5), fc.constantFrom(-1, 0, 1)).map(([week, shift]) => Math.max(0, week * WEEK_MS + shift)),
  )
  fc.assert(
    fc.property(bound, bound, instant, (from, to, at) => {
      const { periods, remainders } = splitRange(from, to)
      const period = Math.floor(at / WEEK_MS)
      const inPeriods =
        periods !== null &&
        (periods.first === null || period >= periods.first) &&
        (periods.last === null || period <= periods.last)
      const parts =
        Number(inPeriods) + remainders.filter((remainder) => at >= remainder.from && at <= remainder.to).length
      const isInside = (from === undefined || at >= from) && (to === undefined || at <= to)
      expect(parts).toBe(isInside ? 1 : 0)
    }),
  )
})
