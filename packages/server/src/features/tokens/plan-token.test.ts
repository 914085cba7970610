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
const buildBounds = (overrides: Partial<TokenBounds> = {}): TokenBounds => ({
  scopes: new Set(SCOPES),
  workspaces: reached(1, 2),
  isLimited: false,
  maxExpiresAt: null,
  ...overrides,
})

describe('planToken', () => {
  test('an empty request yields all rights of its creator', () => {
    expect(planToken(buildBounds(), {}, NOW)).toEqual({ scopes: SCOPES, workspaceIds: null, expiresAt: null })
    const limits = { scopes: new Set(['admin', 'read'] as const), isLimited: true, maxExpiresAt: 5_000 }
    const limited = { scopes: ['read', 'admin'], workspaceIds: [1, 2], expiresAt: 5_000 }
    expect(planToken(buildBounds(limits), {}, NOW)).toEqual(limited)
    expect(planToken(buildBounds(limits), { scopes: null, workspaceIds: null, expiresAt: null }, NOW)).toEqual(limited)
  })

  test.each([
    [{ scopes: ['write', 'read'] }, {}, { scopes: ['read', 'write'] }],
    [{ workspaceIds: [2, 1] }, {}, { workspaceIds: [1, 2] }],
    [{ expiresAt: 1_001 }, {}, { expiresAt: 1_001 }],
    [{ expiresAt: 4_999 }, { maxExpiresAt: 5_000 }, { expiresAt: 4_999 }],
    [{ expiresAt: 5_000 }, { maxExpiresAt: 5_000 }, { expiresAt: 5_000 }],
  ] as const)('%j within %j is %j', (requests, limits, expected) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(planToken(buildBounds(limits), plain, NOW)).toMatchObject(expected)
  })

  test.each([
    [{ scopes: ['write'] }, { scopes: new Set(['read', 'admin'] as const) }, 'forbidden'],
    [{ workspaceIds: [1, 3] }, {}, 'workspace_forbidden'],
    [{ expiresAt: 1_000 }, {}, 'invalid_request'],
    [{ expiresAt: 5_001 }, { maxExpiresAt: 5_000 }, 'forbidden'],
    [{}, { isLimited: true, workspaces: reached() }, 'forbidden'],
  ] as const)('%j within %j is rejected: %s', (requests, limits, code) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(() => planToken(buildBounds(limits), plain, NOW)).toThrow(expect.objectContaining({ code }))
  })

  test('never exceeds its creator', () => {
    const scopes = fc.uniqueArray(fc.constantFrom(...SCOPES))
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }))
    const creators = fc.record({
      scopes,
      ids,
      isLimited: fc.boolean(),
      maxExpiresAt: fc.option(fc.integer({ min: 1_001, max: 9_999 })),
    })
    const requests = fc.record({
      scopes: fc.option(scopes),
      workspaceIds: fc.option(ids),
      expiresAt: fc.option(fc.integer({ min: 1, max: 12_000 })),
    })
    fc.assert(
      fc.property(creators, requests, (creator, requested) => {
        const within = buildBounds({ ...creator, scopes: new Set(creator.scopes), workspaces: reached(...creator.ids) })
        try {
          const plan = planToken(within, requested, NOW)
          expect(new Set(plan.scopes).isSubsetOf(within.scopes)).toBe(true)
          expect(
            plan.workspaceIds === null ? !creator.isLimited : plan.workspaceIds.every((id) => creator.ids.includes(id)),
          ).toBe(true)
          if (creator.maxExpiresAt !== null) expect(plan.expiresAt).toBeLessThanOrEqual(creator.maxExpiresAt)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
        }
      }),
    )
  })
})

const buildPerson = (overrides: Partial<Person>): Person => ({
  userId: 'user_2',
  role: 'end_user',
  providerId: null,
  accountSid: null,
  home: null,
  memberships: [],
  ...overrides,
})

const buildMemberships = (ids: readonly number[]) =>
  ids.map((workspaceId) => ({ workspaceId, accountSid: TENANT_DIRECTORY.workspaces.get(workspaceId) ?? '' }))
const NORTH = { accountSid: 'north', providerId: 'provider_a' }
const WEST = { accountSid: 'west', providerId: 'provider_b' }

const PEOPLE: Readonly<Record<string, Person>> = {
  platform: buildPerson({ role: 'platform_admin' }),
  ownReseller: buildPerson({ role: 'provider_admin', providerId: 'provider_a' }),
  otherReseller: buildPerson({ role: 'provider_admin', providerId: 'provider_b' }),
  noReseller: buildPerson({ role: 'provider_admin' }),
  north: buildPerson({
    role: 'tenant_admin',
    providerId: 'provider_a',
    accountSid: 'north',
    memberships: buildMemberships([1]),
  }),
  south: buildPerson({ role: 'tenant_admin', providerId: 'provider_a', accountSid: 'south' }),
  west: buildPerson({ role: 'tenant_admin', providerId: 'provider_b', accountSid: 'west' }),
  noTenant: buildPerson({ role: 'tenant_admin' }),
  inOne: buildPerson({ memberships: buildMemberships([1]) }),
  inTwo: buildPerson({ memberships: buildMemberships([2]) }),
  inSouth: buildPerson({ memberships: buildMemberships([3]) }),
  inBoth: buildPerson({ memberships: buildMemberships([1, 3]) }),
  inWest: buildPerson({ memberships: buildMemberships([4]) }),
  inOneAndWest: buildPerson({ memberships: buildMemberships([1, 4]) }),
  nowhere: buildPerson({}),
  // Promoted by a person who only knew the address. That person does not administer the other memberships.
  northAndWest: buildPerson({
    role: 'tenant_admin',
    providerId: 'provider_a',
    accountSid: 'north',
    memberships: buildMemberships([1, 4]),
  }),
  ownResellerAndWest: buildPerson({
    role: 'provider_admin',
    providerId: 'provider_a',
    memberships: buildMemberships([4]),
  }),
  // Memberships in other tenants neither take power from the home tenant nor give it to others.
  homeInOneAndWest: buildPerson({ home: NORTH, memberships: buildMemberships([1, 4]) }),
  homeInBothOfNorth: buildPerson({ home: NORTH, memberships: buildMemberships([1, 2]) }),
  guestInOne: buildPerson({ home: WEST, memberships: buildMemberships([1, 4]) }),
  guestInOneOnly: buildPerson({ home: WEST, memberships: buildMemberships([1]) }),
  guestAdministersNorth: buildPerson({
    home: WEST,
    role: 'tenant_admin',
    providerId: 'provider_a',
    accountSid: 'north',
  }),
  guestAdministersReseller: buildPerson({ home: WEST, role: 'provider_admin', providerId: 'provider_a' }),
}

const managedPeople = (actor: Parameters<typeof canManage>[0]): string[] =>
  Object.keys(PEOPLE).filter((name) => canManage(actor, PEOPLE[name] ?? buildPerson({})))

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

  const noContext = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
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
    expect(managedPeople(narrowActor(ACTORS[kind], { ...noContext, ...claims }, TENANT_DIRECTORY))).toEqual(names)
  })
})
