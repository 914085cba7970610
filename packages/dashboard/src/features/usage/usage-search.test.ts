import { expect, test } from 'vitest'
import { daysOf, readUsageSearch, usageRange } from './usage-search.ts'

test('keeps what makes sense', () => {
  expect(readUsageSearch({ days: '7', by: 'agent' })).toEqual({ days: 7, by: 'agent' })
  expect(readUsageSearch({ from: '2026-01-01', to: '2026-01-31' })).toEqual({ from: '2026-01-01', to: '2026-01-31' })
})

test('leaves out what is the default or makes no sense', () => {
  expect(readUsageSearch({ days: 30, by: 'day', from: 'yesterday', to: 7 })).toEqual({})
  expect(readUsageSearch({ days: 12 })).toEqual({})
})

test('a range of days ends today, and today is the day of UTC', () => {
  expect(usageRange({ days: 7 }, '2026-03-01')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(usageRange({}, '2026-11-23')).toEqual({ from: '2026-10-25', to: '2026-11-23' })
})

test('a range of one’s own is taken as it is, and ends today where it has no end', () => {
  expect(usageRange({ from: '2026-01-01', to: '2026-01-31' }, '2026-11-23')).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
  })
  expect(usageRange({ from: '2026-11-20' }, '2026-11-23')).toEqual({ from: '2026-11-20', to: '2026-11-23' })
})

test('every day of a range is shown, its ends too, and of a turned range the last', () => {
  expect(daysOf({ from: '2026-02-27', to: '2026-03-01' })).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(daysOf({ from: '2026-03-02', to: '2026-03-01' })).toEqual(['2026-03-01'])
  expect(daysOf({ from: '2020-01-01', to: '2026-03-01' })).toHaveLength(366)
})
