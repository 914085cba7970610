import { expect, test } from 'vitest'
import { concurrencyChanges, settingsOf } from './concurrency-dialog.tsx'

const before = settingsOf({
  maxConcurrent: 25,
  currentUsage: 3,
  purchasedConcurrency: 5,
  concurrencyPurchaseLimit: 100,
})

test('what was not purchased is the base', () => {
  expect(before).toEqual({ baseConcurrency: 20, purchasedConcurrency: 5, concurrencyPurchaseLimit: 100 })
})

test('only what differs is sent, an emptied field as null', () => {
  expect(concurrencyChanges(before, before)).toEqual({})
  expect(concurrencyChanges(before, { ...before, baseConcurrency: 40, purchasedConcurrency: null })).toEqual({
    baseConcurrency: 40,
    purchasedConcurrency: null,
  })
})
