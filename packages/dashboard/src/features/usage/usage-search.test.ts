import { expect, test } from 'vitest'
import { readUsageSearch } from './usage-search.ts'

test('keeps what makes sense', () => {
  expect(readUsageSearch({ days: '7', by: 'agent' })).toEqual({ days: 7, by: 'agent' })
  expect(readUsageSearch({ from: '2026-01-01', to: '2026-01-31' })).toEqual({ from: '2026-01-01', to: '2026-01-31' })
})

test('leaves out what is the default or makes no sense', () => {
  expect(readUsageSearch({ days: 30, by: 'day', from: 'yesterday', to: 7 })).toEqual({})
  expect(readUsageSearch({ days: 12 })).toEqual({})
})
