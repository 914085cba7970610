import { describe, expect, test } from 'vitest'
import { decideEdit } from './versions.ts'

describe('decideEdit', () => {
  test.each([
    [{ version: 1, frozen: false }, undefined, { type: 'edit-draft', version: 1 }],
    [{ version: 3, frozen: true }, undefined, { type: 'next-version', version: 4 }],
    [{ version: 3, frozen: false }, 3, { type: 'edit-draft', version: 3 }],
    [{ version: 3, frozen: true }, 3, { type: 'frozen', version: 3 }],
    [{ version: 3, frozen: false }, 2, { type: 'frozen', version: 2 }],
    [{ version: 3, frozen: false }, 4, { type: 'unknown-version', version: 4 }],
  ])('%o returns %s', (newest, requested, decision) => {
    expect(decideEdit(newest, requested)).toEqual(decision)
  })
})
