import { expect, test } from 'vitest'
import { addNames, toVariables } from './conversation.ts'

test('leaves out variables without a value; the last of equal names counts', () => {
  const pairs = [
    { name: 'shop', value: 'Corner Bakery' },
    { name: 'city', value: '' },
    { name: '', value: 'nameless' },
    { name: ' shop ', value: 'Harbour Bakery' },
  ]
  expect(toVariables(pairs)).toEqual({ shop: 'Harbour Bakery' })
})

test('adds new names without changing typed values', () => {
  const typed = [{ name: 'shop', value: 'Corner Bakery' }]
  expect(addNames(typed, ['shop', 'city'])).toEqual([...typed, { name: 'city', value: '' }])
  expect(addNames(typed, ['shop'])).toBe(typed)
})
