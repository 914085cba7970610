import { RIGHTS } from '@parley/contract/access'
import type { Member } from '@parley/contract/member'
import type { CurrentSession } from '@parley/contract/session'
import { describe, expect, test } from 'vitest'
import { listMemberRows } from './member-rows.ts'
import { RIGHT_ROWS } from './role-rights.ts'

test('every permission of members has a label', () => {
  const rights = Object.entries(RIGHTS)
    .filter(([, { role }]) => role === 'end_user')
    .map(([right]) => right)
  expect(RIGHT_ROWS.map(({ right }) => right).sort()).toEqual(rights.sort())
})

test.each([
  ['viewer', ['read', 'own-tokens']],
  ['editor', ['read', 'own-tokens', 'write', 'calls']],
  ['admin', RIGHT_ROWS.map(({ right }) => right)],
] as const)('the role %s has the rights %j', (role, rights) => {
  expect(RIGHT_ROWS.filter(({ roles }) => roles[role]).map(({ right }) => right)).toEqual(rights)
})

describe('the team', () => {
  const person = (userId: string, name = '') =>
    ({ userId, name, email: `${userId}@example.com`, status: 'active', createdAt: '2026-01-01T00:00:00.000Z' }) as const
  const member = (userId: string, role: Member['role']): Member => ({ ...person(userId), role })
  const session = (userId: string, level: 'admin' | 'account') =>
    ({
      user: { ...person(userId, 'Olga'), role: level === 'account' ? 'platform_admin' : 'end_user' },
      workspaces: [{ id: 1, level }],
    }) as unknown as CurrentSession
  const listRows = (viewer: CurrentSession, administrators = [person('boss', 'Bo')]) =>
    listMemberRows({ session: viewer, workspaceId: 1, administrators, members: [member('mia', 'editor')] }).map(
      ({ name, role, member: membership }) => [name, role, membership !== null],
    )

  test('lists the owner first, without a membership', () => {
    expect(listRows(session('owner', 'account'))).toEqual([
      ['Olga', 'Platform administrator', false],
      ['Bo', 'Account administrator', false],
      ['mia@example.com', 'Editor', true],
    ])
  })

  test('lists each person once', () => {
    expect(listRows(session('mia', 'admin'), [])).toEqual([['mia@example.com', 'Editor', true]])
    expect(listRows(session('boss', 'account'))).toHaveLength(2)
  })
})
