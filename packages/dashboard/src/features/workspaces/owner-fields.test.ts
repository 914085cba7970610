import { expect, test } from 'vitest'
import { toOwnerFields } from './owner-fields.tsx'

test('a path is trimmed, and null where none is typed', () => {
  expect(toOwnerFields({ name: 'Acme', slug: ' acme ' })).toEqual({ name: 'Acme', slug: 'acme' })
  expect(toOwnerFields({ name: 'Acme', slug: ' ' })).toEqual({ name: 'Acme', slug: null })
})
