import { describe, expect, test } from 'vitest'
import { narrowActor } from '../../kernel/actor-context.ts'
import { ACCOUNTS, ACTORS } from '../access/actors-test-kit.ts'
import { governs, type Person } from './governs.ts'

const person = (given: Partial<Person>): Person => ({
  userId: 'user_2',
  role: 'end_user',
  providerId: null,
  accountSid: null,
  workspaceIds: [],
  ...given,
})

const PEOPLE: Readonly<Record<string, Person>> = {
  platform: person({ role: 'platform_admin' }),
  ownProvider: person({ role: 'provider_admin', providerId: 'provider_a' }),
  otherProvider: person({ role: 'provider_admin', providerId: 'provider_b' }),
  noProvider: person({ role: 'provider_admin' }),
  north: person({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'north', workspaceIds: [1] }),
  south: person({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'south' }),
  west: person({ role: 'tenant_admin', providerId: 'provider_b', accountSid: 'west' }),
  noTenant: person({ role: 'tenant_admin' }),
  inOne: person({ workspaceIds: [1] }),
  inTwo: person({ workspaceIds: [2] }),
  inSouth: person({ workspaceIds: [3] }),
  inBoth: person({ workspaceIds: [1, 3] }),
  inWest: person({ workspaceIds: [4] }),
  inOneAndWest: person({ workspaceIds: [1, 4] }),
  nowhere: person({}),
  // Made an administrator by somebody who only knew the address: what it has elsewhere is not theirs.
  northAndWest: person({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'north', workspaceIds: [1, 4] }),
  ownProviderAndWest: person({ role: 'provider_admin', providerId: 'provider_a', workspaceIds: [4] }),
}

const governed = (actor: Parameters<typeof governs>[0]): string[] =>
  Object.keys(PEOPLE).filter((name) => governs(actor, PEOPLE[name] ?? person({})))

describe('governs', () => {
  test.each([
    ['platform', Object.keys(PEOPLE)],
    ['provider', ['ownProvider', 'north', 'south', 'inOne', 'inTwo', 'inSouth', 'inBoth']],
    ['tenant', ['north', 'inOne', 'inTwo']],
    ['user', ['inOne']],
  ] as const)('%s: %j', (kind, names) => {
    expect(governed(ACTORS[kind])).toEqual(names)
  })

  const none = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
  test.each([
    ['platform', { tenantId: 'north' }, ['north', 'inOne', 'inTwo']],
    ['platform', { providerId: 'provider_b' }, ['otherProvider', 'west', 'inWest']],
    ['platform', { tenantId: 'north', actorType: 'end_user' }, ['inOne', 'inTwo']],
    ['platform', { actorType: 'tenant_admin', tenantId: 'south' }, ['south', 'inSouth']],
    ['platform', { workspaceId: 1, actorType: 'end_user' }, ['inOne']],
    ['provider', { tenantId: 'south' }, ['south', 'inSouth']],
    ['provider', { tenantId: 'west' }, []],
    ['tenant', { tenantId: 'west' }, []],
    ['tenant', { actorType: 'end_user' }, ['inOne', 'inTwo']],
    ['user', { tenantId: 'north' }, ['inOne']],
  ] as const)('%s within %j: %j', (kind, claims, names) => {
    expect(governed(narrowActor(ACTORS[kind], { ...none, ...claims }, ACCOUNTS))).toEqual(names)
  })
})
