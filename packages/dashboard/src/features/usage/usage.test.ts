import type { Usage } from '@parley/contract/usage'
import { expect, test } from 'vitest'
import { listDays, readUsageSearch, resolveRange } from './usage-search.ts'
import { calculateTotals, fillDays } from './usage-totals.ts'

test('reads the range from the URL', () => {
  expect(readUsageSearch({ days: '7', groupBy: 'agent' })).toEqual({ days: 7, groupBy: 'agent' })
  expect(readUsageSearch({ from: '2026-01-01', to: '2026-01-31' })).toEqual({ from: '2026-01-01', to: '2026-01-31' })
})

test('drops defaults and invalid values', () => {
  expect(readUsageSearch({ days: 30, groupBy: 'day', from: 'yesterday', to: 7 })).toEqual({})
  expect(readUsageSearch({ days: 12 })).toEqual({})
})

test('a range of days ends today', () => {
  expect(resolveRange({ days: 7 }, '2026-03-01')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(resolveRange({}, '2026-11-23')).toEqual({ from: '2026-10-25', to: '2026-11-23' })
})

test('a custom range ends today by default', () => {
  expect(resolveRange({ from: '2026-01-01', to: '2026-01-31' }, '2026-11-23')).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
  })
  expect(resolveRange({ from: '2026-11-20' }, '2026-11-23')).toEqual({ from: '2026-11-20', to: '2026-11-23' })
})

test('lists all days of a range, and only the last day of a reversed range', () => {
  expect(listDays({ from: '2026-02-27', to: '2026-03-01' })).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(listDays({ from: '2026-03-02', to: '2026-03-01' })).toEqual(['2026-03-01'])
  expect(listDays({ from: '2020-01-01', to: '2026-03-01' })).toHaveLength(366)
})

const entry = (key: string, calls: number): Usage => ({
  key,
  calls,
  chats: 2,
  minutes: 1.5,
  cost: 0.25,
  successRate: 1,
  latencyP50Ms: 300,
  latencyP95Ms: 900,
  errors: 1,
})

test('totals add up counts and costs', () => {
  const totals = calculateTotals([entry('2026-01-01', 3), entry('2026-01-02', 4)])
  expect(totals).toEqual({ calls: 7, chats: 4, minutes: 3, cost: 0.5, errors: 2 })
})

test('adds entries for days without usage', () => {
  const days = fillDays([entry('2026-01-02', 4)], ['2026-01-01', '2026-01-02', '2026-01-03'])
  expect(days.map(({ key, calls }) => [key, calls])).toEqual([
    ['2026-01-01', 0],
    ['2026-01-02', 4],
    ['2026-01-03', 0],
  ])
})
