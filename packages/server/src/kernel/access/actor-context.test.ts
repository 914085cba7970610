import { ACTOR_ROLES, isLevelAtLeast, isRoleAtLeast } from '@parley/contract/access'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ACTORS, buildCredential, TENANT_DIRECTORY } from '../../features/access/actors-test-kit.ts'
import { resolveActor } from '../../features/access/resolve-actor.ts'
import { AppError } from '../errors.ts'
import type { Actor } from './actor.ts'
import { type ContextClaims, checkTenantOwnsWorkspace, narrowActor, readClaims } from './actor-context.ts'

const NO_CLAIMS: ContextClaims = { actorType: null, providerId: null, tenantId: null, workspaceId: null }

/** Formats the narrowed actor, or returns the error code. */
function describeOutcome(actor: Actor, claims: Partial<ContextClaims>): string {
  try {
    const narrowed = narrowActor(actor, { ...NO_CLAIMS, ...claims }, TENANT_DIRECTORY)
    const workspaces = [...narrowed.workspaces].map(([id, { level }]) => `${id}:${level}`).sort()
    const scopeLabel = `${narrowed.providerId ?? '-'}/${narrowed.accountSid ?? '-'}`
    return `${narrowed.role} ${scopeLabel} ${workspaces.join(' ')}`.trim()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

describe('readClaims', () => {
  test('returns null without context headers', () => {
    expect(readClaims({ authorization: 'Bearer x', 'x-request-id': '1' })).toBeNull()
  })

  test('reads the given headers', () => {
    expect(readClaims({ 'x-actor-type': 'tenant_admin', 'x-tenant-id': 'north' })).toEqual({
      ...NO_CLAIMS,
      actorType: 'tenant_admin',
      tenantId: 'north',
    })
    expect(readClaims({ 'x-workspace-id': '12', 'x-provider-id': 'p' })).toEqual({
      ...NO_CLAIMS,
      workspaceId: 12,
      providerId: 'p',
    })
  })

  test.each([
    [{ 'x-actor-type': 'root' }],
    [{ 'x-actor-type': 'PLATFORM_ADMIN' }],
    [{ 'x-actor-type': 'end_user, end_user' }],
    [{ 'x-actor-type': '' }],
    [{ 'x-tenant-id': '' }],
    [{ 'x-tenant-id': 'a'.repeat(201) }],
    [{ 'x-provider-id': ['a', 'b'] }],
    [{ 'x-workspace-id': '0' }],
    [{ 'x-workspace-id': '-1' }],
    [{ 'x-workspace-id': '2147483648' }],
    [{ 'x-workspace-id': '1e1' }],
  ])('rejects %j', (headers) => {
    expect(() => readClaims(headers)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

describe('without restricting headers', () => {
  test.each(['platform', 'provider', 'tenant', 'user'] as const)('%s stays unchanged', (kind) => {
    expect(narrowActor(ACTORS[kind], NO_CLAIMS, TENANT_DIRECTORY)).toEqual(ACTORS[kind])
  })
})

describe('X-Actor-Type', () => {
  test.each([
    ['platform', 'platform_admin', 'platform_admin -/- 1:account 2:account 3:account 4:account'],
    ['platform', 'provider_admin', 'provider_admin -/- 1:account 2:account 3:account 4:account'],
    ['platform', 'end_user', 'end_user -/- 1:admin 2:admin 3:admin 4:admin'],
    ['provider', 'platform_admin', 'forbidden'],
    ['provider', 'provider_admin', 'provider_admin provider_a/- 1:account 2:account 3:account 4:viewer'],
    ['provider', 'end_user', 'end_user provider_a/- 1:admin 2:admin 3:admin 4:viewer'],
    ['tenant', 'provider_admin', 'forbidden'],
    ['tenant', 'tenant_admin', 'tenant_admin provider_a/north 1:account 2:account 4:editor'],
    ['tenant', 'end_user', 'end_user provider_a/north 1:admin 2:admin 4:editor'],
    ['user', 'tenant_admin', 'forbidden'],
    ['user', 'end_user', 'end_user -/- 1:admin 4:viewer'],
  ] as const)('%s as %s: %s', (kind, actorType, expected) => {
    expect(describeOutcome(ACTORS[kind], { actorType })).toBe(expected)
  })
})

describe('X-Tenant-Id', () => {
  test.each([
    ['platform', 'north', 'platform_admin provider_a/north 1:account 2:account'],
    ['platform', 'nowhere', 'forbidden'],
    ['provider', 'south', 'provider_admin provider_a/south 3:account'],
    ['provider', 'nowhere', 'forbidden'],
    ['tenant', 'north', 'tenant_admin provider_a/north 1:account 2:account'],
    ['tenant', 'south', 'forbidden'],
    ['user', 'north', 'end_user provider_a/north 1:admin'],
    ['user', 'south', 'forbidden'],
  ] as const)('%s in %s: %s', (kind, tenantId, expected) => {
    expect(describeOutcome(ACTORS[kind], { tenantId })).toBe(expected)
  })

  test.each([
    ['provider', 'end_user provider_b/west 4:viewer'],
    ['tenant', 'end_user provider_b/west 4:editor'],
    ['user', 'end_user provider_b/west 4:viewer'],
  ] as const)('%s is only a member in the tenant of a workspace that invited it', (kind, expected) => {
    expect(describeOutcome(ACTORS[kind], { tenantId: 'west' })).toBe(expected)
    expect(describeOutcome(ACTORS[kind], { tenantId: 'west', actorType: 'tenant_admin' })).toBe('forbidden')
    expect(describeOutcome(ACTORS[kind], { tenantId: 'west', actorType: 'end_user' })).toBe(expected)
  })
})

describe('X-Provider-Id', () => {
  test.each([
    ['platform', 'provider_b', 'platform_admin provider_b/- 4:account'],
    ['platform', 'provider_c', 'forbidden'],
    ['provider', 'provider_a', 'provider_admin provider_a/- 1:account 2:account 3:account'],
    ['provider', 'provider_b', 'end_user provider_b/- 4:viewer'],
    ['tenant', 'provider_a', 'tenant_admin provider_a/north 1:account 2:account'],
    ['tenant', 'provider_b', 'end_user provider_b/- 4:editor'],
    ['user', 'provider_a', 'end_user provider_a/- 1:admin'],
    ['user', 'provider_c', 'forbidden'],
  ] as const)('%s in %s: %s', (kind, providerId, expected) => {
    expect(describeOutcome(ACTORS[kind], { providerId })).toBe(expected)
  })

  test('must own the tenant of the other header', () => {
    expect(describeOutcome(ACTORS.platform, { providerId: 'provider_b', tenantId: 'north' })).toBe('invalid_request')
    expect(describeOutcome(ACTORS.provider, { providerId: 'provider_a', tenantId: 'north' })).toBe(
      'provider_admin provider_a/north 1:account 2:account',
    )
  })
})

describe('X-Workspace-Id', () => {
  test.each([
    ['platform', 3, 'platform_admin -/- 3:account'],
    ['platform', 99, 'workspace_forbidden'],
    ['provider', 4, 'provider_admin provider_a/- 4:viewer'],
    ['tenant', 3, 'workspace_forbidden'],
    ['user', 1, 'end_user -/- 1:admin'],
    ['user', 2, 'workspace_forbidden'],
  ] as const)('%s in %i: %s', (kind, workspaceId, expected) => {
    expect(describeOutcome(ACTORS[kind], { workspaceId })).toBe(expected)
  })

  test('must belong to the tenant of the other header', () => {
    expect(describeOutcome(ACTORS.platform, { workspaceId: 3, tenantId: 'north' })).toBe('invalid_request')
    expect(() => checkTenantOwnsWorkspace(ACTORS.platform, 3, 'north')).toThrow('owns workspace 3')
    expect(() => checkTenantOwnsWorkspace(ACTORS.platform, 3, 'south')).not.toThrow()
    expect(() => checkTenantOwnsWorkspace(ACTORS.platform, 3, null)).not.toThrow()
  })
})

const sid = fc.constantFrom('north', 'south', 'west')
const provider = fc.constantFrom('provider_a', 'provider_b')
const claimsArbitrary = fc.record({
  actorType: fc.option(fc.constantFrom(...ACTOR_ROLES)),
  providerId: fc.option(provider),
  tenantId: fc.option(sid),
  workspaceId: fc.option(fc.integer({ min: 1, max: 5 })),
})
const memberArbitrary = fc.record({
  workspaceId: fc.integer({ min: 1, max: 5 }),
  role: fc.constantFrom('viewer' as const, 'editor' as const, 'admin' as const),
})
const credentialArbitrary = fc
  .record({
    place: fc.oneof(
      fc.constant({ role: 'platform_admin' as const }),
      fc.record({ role: fc.constant('provider_admin' as const), providerId: provider }),
      fc.record({ role: fc.constant('tenant_admin' as const), accountSid: sid }),
      fc.constant({ role: 'end_user' as const }),
    ),
    memberships: fc.uniqueArray(memberArbitrary, { selector: (member) => member.workspaceId }),
    workspaceIds: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 5 }))),
  })
  .map(({ place, ...rest }) => buildCredential({ ...place, ...rest }))

test('narrowing never adds a workspace or raises a level or role', () => {
  fc.assert(
    fc.property(credentialArbitrary, claimsArbitrary, (stored, claims) => {
      const actor = resolveActor(stored, TENANT_DIRECTORY)
      let narrowed: Actor
      try {
        narrowed = narrowActor(actor, claims, TENANT_DIRECTORY)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        return
      }
      expect(isRoleAtLeast(actor.role, narrowed.role)).toBe(true)
      expect(narrowed.scopes).toEqual(actor.scopes)
      for (const [id, { level, accountSid }] of narrowed.workspaces) {
        const original = actor.workspaces.get(id)
        expect(original?.accountSid).toBe(accountSid)
        expect(original !== undefined && isLevelAtLeast(original.level, level)).toBe(true)
      }
      // An administrator after narrowing was an administrator of the same or a larger scope before.
      if (narrowed.role === 'end_user' || actor.role === 'platform_admin') return
      if (actor.role === 'provider_admin') expect(narrowed.providerId).toBe(actor.providerId)
      else expect(narrowed.accountSid).toBe(actor.accountSid)
    }),
    { numRuns: 2_000 },
  )
})
