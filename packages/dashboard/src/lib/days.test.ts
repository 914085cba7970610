import { expect, test } from 'vitest'
import { getStartOfDay, listUtcDays } from './days.ts'

const NOON_MS = new Date(2026, 2, 1, 13, 5).getTime()

test('a day starts at local midnight, even across month boundaries', () => {
  expect(getStartOfDay(NOON_MS)).toEqual(new Date(2026, 2, 1))
  expect(getStartOfDay(NOON_MS, 1)).toEqual(new Date(2026, 1, 28))
})

test('lists UTC days up to the last day of the range', () => {
  expect(listUtcDays(Date.UTC(2026, 2, 1, 23, 59), 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
})
