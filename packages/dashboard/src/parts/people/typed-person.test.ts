import { expect, test } from 'vitest'
import { personFields } from './typed-person.ts'

test('what is typed around an address and a name is left out', () => {
  expect(personFields({ email: ' ada@example.com ', name: ' Ada ' })).toEqual({ email: 'ada@example.com', name: 'Ada' })
})

test('a person without a name has none', () => {
  expect(personFields({ email: 'ada@example.com', name: '  ' })).toEqual({ email: 'ada@example.com', name: null })
})
