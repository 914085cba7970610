import { expect, test } from 'vitest'
import { platformAdmin } from '../route-test-kit.ts'
import { canSeeName, type Person } from './person.ts'

const person: Person = {
  userId: 'user_2',
  email: 'a@example.com',
  name: 'A',
  role: 'end_user',
  providerId: null,
  accountSid: null,
  createdAt: 0,
}
const reached = { level: 'admin' as const, accountSid: 't1' }
const actor = {
  ...platformAdmin,
  userId: 'user_1',
  role: 'end_user' as const,
  workspaces: new Map([
    [1, reached],
    [2, reached],
  ]),
}

test.each([
  ['belongs nowhere else', person, [], true],
  ['is in another workspace of the actor', person, [2, 9], true],
  ['is in foreign workspaces', person, [8, 9], false],
  ['is the actor', { ...person, userId: 'user_1' }, [9], true],
  ['administers a tenant of the actor', { ...person, role: 'tenant_admin' as const, accountSid: 't1' }, [], true],
  ['administers a foreign tenant', { ...person, role: 'tenant_admin' as const, accountSid: 't9' }, [], false],
  ['administers a foreign provider', { ...person, role: 'provider_admin' as const, providerId: 'p9' }, [], false],
  ['administers the platform', { ...person, role: 'platform_admin' as const }, [], false],
])('the name of somebody who %s', (_who, known, others, expected) => {
  expect(canSeeName(actor, known, others)).toBe(expected)
  expect(canSeeName({ ...actor, role: 'platform_admin' }, known, others)).toBe(true)
})
