import { describe, expect, test } from 'vitest'
import { checkEditCount, createMissingVersionError, planEdit, resolveVersion } from './edits.ts'

const name = { kind: 'agent', id: 'agent_1' }

describe('resolveVersion', () => {
  test('returns the given version', () => {
    expect([
      resolveVersion(2, undefined),
      resolveVersion(undefined, 2),
      resolveVersion(2, 2),
      resolveVersion(undefined, undefined),
    ]).toEqual([2, 2, 2, undefined])
  })

  test('rejects two different versions', () => {
    expect(() => resolveVersion(1, 2)).toThrow('version: is 1 in the query and 2 in the body')
  })
})

describe('checkEditCount', () => {
  test('accepts the current edit count or null', () => {
    expect(() => checkEditCount(name, 3, 3)).not.toThrow()
    expect(() => checkEditCount(name, null, 3)).not.toThrow()
  })

  test('rejects another edit count', () => {
    expect(() => checkEditCount(name, 2, 3)).toThrow(
      expect.objectContaining({
        code: 'version_conflict',
        message: expect.stringMatching(/^Agent "agent_1" was edited/),
      }),
    )
  })
})

describe('planEdit', () => {
  test('edits a draft and creates the next version of a frozen one', () => {
    expect(planEdit(name, { version: 2, frozen: false }, undefined)).toEqual({ type: 'edit-draft', version: 2 })
    expect(planEdit(name, { version: 2, frozen: true }, undefined)).toEqual({ type: 'next-version', version: 3 })
  })

  test.each([
    [2, 'version_frozen', 'Version 2 of agent "agent_1" was used or published'],
    [3, 'not_found', 'No version 3 of agent "agent_1" exists'],
  ])('rejects version %i with %s', (requested, code, message) => {
    expect(() => planEdit(name, { version: 2, frozen: true }, requested)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    )
  })
})

test('reports the version as missing for a number and the resource otherwise', () => {
  expect(createMissingVersionError(name, 7).message).toBe('No version 7 of agent "agent_1" exists in this workspace.')
  expect(createMissingVersionError(name, 'latest').message).toBe('No agent "agent_1" exists in this workspace.')
})
