import { SCOPES } from '@parley/contract/access'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { narrowActor } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'
import { ACTORS, TENANT_DIRECTORY } from '../access/actors-test-kit.ts'
import { canManage, type Person, planToken, type TokenBounds } from './plan-token.ts'

const NOW = 1_000
const reached = (...ids: number[]): TokenBounds['workspaces'] =>
  new Map(ids.map((id) => [id, { level: 'admin', accountSid: 'a' }]))
const bounds = (given: Partial<TokenBounds> = {}): TokenBounds => ({
  scopes: new Set(SCOPES),
  workspaces: reached(1, 2),
  isLimited: false,
  endsAt: null,
  ...given,
})

describe('planToken', () => {
  test('an empty request yields all rights of its creator', () => {
    expect(planToken(bounds(), {}, NOW)).toEqual({ scopes: SCOPES, workspaceIds: null, expiresAt: null })
    const limits = { scopes: new Set(['admin', 'read'] as const), isLimited: true, endsAt: 5_000 }
    const limited = { scopes: ['read', 'admin'], workspaceIds: [1, 2], expiresAt: 5_000 }
    expect(planToken(bounds(limits), {}, NOW)).toEqual(limited)
    expect(planToken(bounds(limits), { scopes: null, workspaceIds: null, expiresAt: null }, NOW)).toEqual(limited)
  })

  test.each([
    [{ scopes: ['write', 'read'] }, {}, { scopes: ['read', 'write'] }],
    [{ workspaceIds: [2, 1] }, {}, { workspaceIds: [1, 2] }],
    [{ expiresAt: 1_001 }, {}, { expiresAt: 1_001 }],
    [{ expiresAt: 4_999 }, { endsAt: 5_000 }, { expiresAt: 4_999 }],
    [{ expiresAt: 5_000 }, { endsAt: 5_000 }, { expiresAt: 5_000 }],
  ] as const)('%j within %j is %j', (requests, limits, expected) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(planToken(bounds(limits), plain, NOW)).toMatchObject(expected)
  })

  test.each([
    [{ scopes: ['write'] }, { scopes: new Set(['read', 'admin'] as const) }, 'forbidden'],
    [{ workspaceIds: [1, 3] }, {}, 'workspace_forbidden'],
    [{ expiresAt: 1_000 }, {}, 'invalid_request'],
    [{ expiresAt: 5_001 }, { endsAt: 5_000 }, 'forbidden'],
    [{}, { isLimited: true, workspaces: reached() }, 'forbidden'],
  ] as const)('%j within %j is rejected: %s', (requests, limits, code) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(() => planToken(bounds(limits), plain, NOW)).toThrow(expect.objectContaining({ code }))
  })

  test('never exceeds its creator', () => {
    const scopes = fc.uniqueArray(fc.constantFrom(...SCOPES))
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }))
    const creators = fc.record({
      scopes,
      ids,
      isLimited: fc.boolean(),
      endsAt: fc.option(fc.integer({ min: 1_001, max: 9_999 })),
    })
    const requests = fc.record({
      scopes: fc.option(scopes),
      workspaceIds: fc.option(ids),
      expiresAt: fc.option(fc.integer({ min: 1, max: 12_000 })),
    })
    fc.assert(
      fc.property(creators, requests, (creator, requested) => {
        const within = bounds({ ...creator, scopes: new Set(creator.scopes), workspaces: reached(...creator.ids) })
        try {
          const plan = planToken(within, requested, NOW)
          expect(new Set(plan.scopes).isSubsetOf(within.scopes)).toBe(true)
          expect(
            plan.workspaceIds === null ? !creator.isLimited : plan.workspaceIds.every((id) => creator.ids.includes(id)),
          ).toBe(true)
          if (creator.endsAt !== null) expect(plan.expiresAt).toBeLessThanOrEqual(creator.endsAt)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
        }
      }),
    )
  })
})

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
  // Promoted by a person who only knew the address. That person does not administer the other memberships.
  northAndWest: person({
    role: 'tenant_admin',
    providerId: 'provider_a',
    accountSid: 'north',
    memberships: memberOf([1, 4]),
  }),
  ownResellerAndWest: person({ role: 'provider_admin', providerId: 'provider_a', memberships: memberOf([4]) }),
  // Memberships in other tenants neither take power from the home tenant nor give it to others.
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
