import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findDays } from './search-by-pattern.ts'

test('a page is looked for in its own days only', () => {
  const days = [
    { day: 9, calls: 3 },
    { day: 7, calls: 5 },
    { day: 2, calls: 1 },
  ]
  expect(findDays(days, 0, 3)).toEqual({ first: 9, last: 9, offset: 0 })
  expect(findDays(days, 2, 2)).toEqual({ first: 7, last: 9, offset: 2 })
  expect(findDays(days, 3, 5)).toEqual({ first: 7, last: 7, offset: 0 })
  expect(findDays(days, 8, 20)).toEqual({ first: 2, last: 2, offset: 0 })
  expect(findDays(days, 9, 20)).toBeNull()
  expect(findDays([], 0, 20)).toBeNull()
})

test('whatever the days, they hold the same page as the whole list', () => {
  const anyDays = fc
    .uniqueArray(fc.nat(50), { maxLength: 12 })
    .chain((days) =>
      fc.tuple(
        ...days
          .toSorted((a, b) => b - a)
          .map((day) => fc.record({ day: fc.constant(day), calls: fc.integer({ min: 1, max: 6 }) })),
      ),
    )
  fc.assert(
    fc.property(anyDays, fc.nat(60), fc.integer({ min: 1, max: 20 }), (days, offset, limit) => {
      const list = days.flatMap(({ day, calls }) => Array.from({ length: calls }, (_, index) => `${day}/${index}`))
      const place = findDays(days, offset, limit)
      const inDays = list.filter((entry) => {
        const day = Number.parseInt(entry, 10)
        return place !== null && day >= place.first && day <= place.last
      })
      const found = place === null ? [] : inDays.slice(place.offset, place.offset + limit)
      expect(found).toEqual(list.slice(offset, offset + limit))
    }),
  )
})
