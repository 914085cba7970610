import { describe, expect, test } from 'vitest'
import { narrowActor } from '../../kernel/access/actor-context.ts'
import { ACTORS, TENANT_DIRECTORY } from '../access/actors-test-kit.ts'
import { canManage, type Person } from './can-manage.ts'

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
  ids.map((workspaceId) => ({ workspaceId, accountSid: TENANT_DIRECTORY.workspaces.get(workspaceId) ?? '' }))
const NORTH = { accountSid: 'north', providerId: 'provider_a' }
const WEST = { accountSid: 'west', providerId: 'provider_b' }

const PEOPLE: Readonly<Record<string, Person>> = {
  platform: person({ role: 'platform_admin' }),
  ownReseller: person({ role: 'provider_admin', providerId: 'provider_a' }),
  otherReseller: person({ role: 'provider_admin', providerId: 'provider_b' }),
  noReseller: person({ role: 'provider_admin' }),
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
  ownResellerAndWest: person({ role: 'provider_admin', providerId: 'provider_a', memberships: memberOf([4]) }),
  // Foreign memberships neither take power from the home account nor give it to others.
  homeInOneAndWest: person({ home: NORTH, memberships: memberOf([1, 4]) }),
  homeInBothOfNorth: person({ home: NORTH, memberships: memberOf([1, 2]) }),
  guestInOne: person({ home: WEST, memberships: memberOf([1, 4]) }),
  guestInOneOnly: person({ home: WEST, memberships: memberOf([1]) }),
  guestAdministersNorth: person({ home: WEST, role: 'tenant_admin', providerId: 'provider_a', accountSid: 'north' }),
  guestAdministersReseller: person({ home: WEST, role: 'provider_admin', providerId: 'provider_a' }),
}

const managedPeople = (actor: Parameters<typeof canManage>[0]): string[] =>
  Object.keys(PEOPLE).filter((name) => canManage(actor, PEOPLE[name] ?? person({})))

describe('canManage', () => {
  test.each([
    ['platform', Object.keys(PEOPLE)],
    [
      'provider',
      ['ownReseller', 'north', 'south', 'inOne', 'inTwo', 'inSouth', 'inBoth', 'homeInOneAndWest', 'homeInBothOfNorth'],
    ],
    ['tenant', ['north', 'inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth']],
    ['user', ['inOne', 'homeInOneAndWest']],
  ] as const)('%s: %j', (kind, names) => {
    expect(managedPeople(ACTORS[kind])).toEqual(names)
  })

  const none = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
  test.each([
    ['platform', { tenantId: 'north' }, ['north', 'inOne', 'inTwo', 'homeInOneAndWest', 'homeInBothOfNorth']],
    ['platform', { providerId: 'provider_b' }, ['otherReseller', 'west', 'inWest', 'guestInOne']],
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
    expect(managedPeople(narrowActor(ACTORS[kind], { ...none, ...claims }, TENANT_DIRECTORY))).toEqual(names)
  })
})
