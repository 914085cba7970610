import { expect, test } from 'vitest'
import { ownerFields } from './owner-fields.tsx'

test('a path is trimmed, and null where none is typed', () => {
  expect(ownerFields({ name: 'Acme', slug: ' acme ' })).toEqual({ name: 'Acme', slug: 'acme' })
  expect(ownerFields({ name: 'Acme', slug: ' ' })).toEqual({ name: 'Acme', slug: null })
})
