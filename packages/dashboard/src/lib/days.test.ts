import { expect, test } from 'vitest'
import { getStartOfDay, listUtcDays } from './days.ts'

const AT = new Date(2026, 2, 1, 13, 5).getTime()

test('a day starts at local midnight, also across month boundaries', () => {
  expect(getStartOfDay(AT)).toEqual(new Date(2026, 2, 1))
  expect(getStartOfDay(AT, 1)).toEqual(new Date(2026, 1, 28))
})

test('the UTC days of a range end with its last day', () => {
  expect(listUtcDays(Date.UTC(2026, 2, 1, 23, 59), 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
})
