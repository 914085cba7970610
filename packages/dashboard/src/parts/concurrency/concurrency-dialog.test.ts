import { expect, test } from 'vitest'
import { findConcurrencyChanges, toConcurrencySettings } from './concurrency-dialog.tsx'

const settings = toConcurrencySettings({
  maxConcurrent: 25,
  currentUsage: 3,
  purchasedConcurrency: 5,
  concurrencyPurchaseLimit: 100,
})

test('the base is the maximum without purchased calls', () => {
  expect(settings).toEqual({ baseConcurrency: 20, purchasedConcurrency: 5, concurrencyPurchaseLimit: 100 })
})

test('only changed fields are sent, and empty fields are null', () => {
  expect(findConcurrencyChanges(settings, settings)).toEqual({})
  expect(findConcurrencyChanges(settings, { ...settings, baseConcurrency: 40, purchasedConcurrency: null })).toEqual({
    baseConcurrency: 40,
    purchasedConcurrency: null,
  })
})
