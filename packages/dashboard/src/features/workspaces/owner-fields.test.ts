import { expect, test } from 'vitest'
import { toOwnerFields } from './owner-fields.tsx'

test('trims the path and sends null for an empty path', () => {
  expect(toOwnerFields({ name: 'Acme', slug: ' acme ' })).toEqual({ name: 'Acme', slug: 'acme' })
  expect(toOwnerFields({ name: 'Acme', slug: ' ' })).toEqual({ name: 'Acme', slug: null })
})
