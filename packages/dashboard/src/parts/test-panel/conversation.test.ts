import { expect, test } from 'vitest'
import { filledIn, withNames } from './conversation.ts'

test('variables without a value are left out, and of two with one name the later one counts', () => {
  const pairs = [
    { name: 'shop', value: 'Corner Bakery' },
    { name: 'city', value: '' },
    { name: '', value: 'nameless' },
    { name: ' shop ', value: 'Harbour Bakery' },
  ]
  expect(filledIn(pairs)).toEqual({ shop: 'Harbour Bakery' })
})

test('new names are offered without touching what was typed', () => {
  const typed = [{ name: 'shop', value: 'Corner Bakery' }]
  expect(withNames(typed, ['shop', 'city'])).toEqual([...typed, { name: 'city', value: '' }])
  expect(withNames(typed, ['shop'])).toBe(typed)
})
