import { RIGHTS } from '@parley/contract/access'
import { expect, test } from 'vitest'
import { RIGHT_ROWS } from './role-words.ts'

test('every right of end users is explained', () => {
  const rights = Object.entries(RIGHTS)
    .filter(([, { role }]) => role === 'end_user')
    .map(([right]) => right)
  expect(RIGHT_ROWS.map(({ right }) => right).sort()).toEqual(rights.sort())
})

test('a viewer looks, an editor makes, an administrator looks after people', () => {
  const rightsOf = (role: 'viewer' | 'editor' | 'admin') =>
    RIGHT_ROWS.filter(({ roles }) => roles[role]).map(({ right }) => right)
  expect(rightsOf('viewer')).toEqual(['read', 'own-tokens'])
  expect(rightsOf('editor')).toEqual(['read', 'own-tokens', 'write', 'calls'])
  expect(rightsOf('admin')).toHaveLength(RIGHT_ROWS.length)
})
