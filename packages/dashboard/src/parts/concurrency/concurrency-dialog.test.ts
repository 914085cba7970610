import { expect, test } from 'vitest'
import { findConcurrencyChanges, toConcurrencySettings } from './concurrency-dialog.tsx'

const before = toConcurrencySettings({
  maxConcurrent: 25,
  currentUsage: 3,
  purchasedConcurrency: 5,
  concurrencyPurchaseLimit: 100,
})

test('the base is the maximum without purchased calls', () => {
  expect(before).toEqual({ baseConcurrency: 20, purchasedConcurrency: 5, concurrencyPurchaseLimit: 100 })
})

test('only changed fields are sent, and empty fields are null', () => {
  expect(findConcurrencyChanges(before, before)).toEqual({})
  expect(findConcurrencyChanges(before, { ...before, baseConcurrency: 40, purchasedConcurrency: null })).toEqual({
    baseConcurrency: 40,
    purchasedConcurrency: null,
  })
})
