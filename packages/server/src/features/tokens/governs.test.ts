import { describe, expect, test } from 'vitest'
import { narrowActor } from '../../kernel/access/actor-context.ts'
import { ACCOUNTS, ACTORS } from '../access/actors-test-kit.ts'
import { governs, type Person } from './governs.ts'

const person = (given: Partial<Person>): Person => ({
  userId: 'user_2',
  role: 'end_user',
  providerId: null,
  accountSid: null,
  home: null,
  memberships: [],
  ...given,
})

const memberOf = (ids: readonly number[]) =>
  ids.map((workspaceId) => ({ workspaceId, accountSid: ACCOUNTS.workspaces.get(workspaceId) ?? '' }))
const NORTH = { accountSid: 'north', providerId: 'provider_a' }
const WEST = { accountSid: 'west', providerId: 'provider_b' }

const PEOPLE: Readonly<Record<string, Person>> = {
  platform: person({ role: 'platform_admin' }),
  ownProvider: person({ role: 'provider_admin', providerId: 'provider_a' }),
  otherProvider: person({ role: 'provider_admin', providerId: 'provider_b' }),
  noProvider: person({ role: 'provider_admin' }),
  north: person({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'north', memberships: memberOf([1]) }),
  south: person({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'south' }),
  west: person({ role: 'tenant_admin', providerId: 'provider_b', accountSid: 'west' }),
  noTenant: person({ role: 'tenant_admin' }),
  inOne: person({ memberships: memberOf([1]) }),
  inTwo: person({ memberships: memberOf([2]) }),
  inSouth: person({ memberships: memberOf([3]) }),
  inBoth: person({ memberships: memberOf([1, 3]) }),
  inWest: person({ memberships: memberOf([4]) }),
  inOneAndWest: person({ memberships: memberOf([1, 4]) }),
  nowhere: person({}),
  // Made an administrator by somebody who only knew the address: what it has elsewhere is not theirs.
  northAndWest: person({
    role: 'tenant_admin',
    providerId: 'provider_a',
    accountSid: 'north',
    memberships: memberOf([1, 4]),
  }),
  ownProviderAndWest: person({ role: 'provider_admin', providerId: 'provider_a', memberships: memberOf([4]) }),
  // Foreign memberships neither take power from the home account nor give it to others.
  homeInOneAndWest: person({ home: NORTH, memberships: memberOf([1, 4]) }),
  homeInBothOfNorth: person({ home: NORTH, memberships: memberOf([1, 2]) }),
  guestInOne: person({ home: WEST, memberships: memberOf([1, 4]) }),
  guestInOneOnly: person({ home: WEST, memberships: memberOf([1]) }),
  guestAdministersNorth: person({ home: WEST, role: 'tenant_admin', providerId: 'provider_a', accountSid: 'north' }),
  guestAdministersProvider: person({ home: WEST, role: 'provider_admin', providerId: 'provider_a' }),
}

const governed = (actor: Parameters<typeof governs>[0]): string[] =>
  Object.keys(PEOPLE).filter((name) => governs(actor, PEOPLE[name] ?? person({})))

describe('governs', () => {
  test.each([
    ['platform', Object.keys(PEOPLE)],
    [
      'provider',
      ['ownProvider', 'north', 'south', 'inOne', 'inTwo', 'inSouth', 'inBoth', 'homeInOneAndWest', 'homeInBothOfNorth'],
    ],
    ['tenant', ['north', 'inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth']],
    ['user', ['inOne', 'homeInOneAndWest']],
  ] as const)('%s: %j', (kind, names) => {
    expect(governed(ACTORS[kind])).toEqual(names)
  })

  const none = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
  test.each([
    ['platform', { tenantId: 'north' }, ['north', 'inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth']],
    ['platform', { providerId: 'provider_b' }, ['otherProvider', 'west', 'inWest', 'guestInOne']],
    [
      'platform',
      { tenantId: 'north', actorType: 'end_user' },
      ['inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth'],
    ],
    ['platform', { actorType: 'tenant_admin', tenantId: 'south' }, ['south', 'inSouth']],
    ['platform', { workspaceId: 1, actorType: 'end_user' }, ['inOne', 'homeInOneAndWest']],
    ['provider', { tenantId: 'south' }, ['south', 'inSouth']],
    ['provider', { tenantId: 'west' }, []],
    ['tenant', { tenantId: 'west' }, []],
    ['tenant', { actorType: 'end_user' }, ['inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth']],
    ['user', { tenantId: 'north' }, ['inOne', 'homeInOneAndWest']],
  ] as const)('%s within %j: %j', (kind, claims, names) => {
    expect(governed(narrowActor(ACTORS[kind], { ...none, ...claims }, ACCOUNTS))).toEqual(names)
  })
})
