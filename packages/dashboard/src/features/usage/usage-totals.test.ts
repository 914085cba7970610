import type { Usage } from '@parley/contract/usage'
import { expect, test } from 'vitest'
import { fillDays, totalsOf } from './usage-totals.ts'

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

test('sums what can be summed', () => {
  const totals = totalsOf([entry('2026-01-01', 3), entry('2026-01-02', 4)])
  expect(totals).toEqual({ calls: 7, chats: 4, minutes: 3, cost: 0.5, errors: 2 })
})

test('days without anything stand between the others', () => {
  const days = fillDays([entry('2026-01-02', 4)], ['2026-01-01', '2026-01-02', '2026-01-03'])
  expect(days.map(({ key, calls }) => [key, calls])).toEqual([
    ['2026-01-01', 0],
    ['2026-01-02', 4],
    ['2026-01-03', 0],
  ])
})
