import { expect, test } from 'vitest'
import { ownerFields } from './typed-owner.ts'

test('a path is sent as it is meant, and none where none is typed', () => {
  expect(ownerFields({ name: 'Acme', slug: ' acme ' })).toEqual({ name: 'Acme', slug: 'acme' })
  expect(ownerFields({ name: 'Acme', slug: ' ' })).toEqual({ name: 'Acme', slug: null })
})
