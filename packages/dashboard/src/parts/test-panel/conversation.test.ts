import { expect, test } from 'vitest'
import { addMissingPairs, toVariables } from './conversation.ts'

test('omits variables without a value and uses the last of several equal names', () => {
  const pairs = [
    { name: 'shop', value: 'Corner Bakery' },
    { name: 'city', value: '' },
    { name: '', value: 'no name' },
    { name: ' shop ', value: 'Harbour Bakery' },
  ]
  expect(toVariables(pairs)).toEqual({ shop: 'Harbour Bakery' })
})

test('adds new names without changing typed values', () => {
  const pairs = [{ name: 'shop', value: 'Corner Bakery' }]
  expect(addMissingPairs(pairs, ['shop', 'city'])).toEqual([...pairs, { name: 'city', value: '' }])
  expect(addMissingPairs(pairs, ['shop'])).toBe(pairs)
})
