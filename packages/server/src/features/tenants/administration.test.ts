import { ACTOR_ROLES } from '@parley/contract/access'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { narrowActor } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'
import { resolveActor } from '../access/resolve-actor.ts'
import { computeAdminScope, includesReseller, includesTenant } from './administration.ts'
import type { StoredRole } from './tenant-store.ts'

const platform: StoredRole = { role: 'platform_admin', providerId: null, accountSid: null }
const reseller: StoredRole = { role: 'provider_admin', providerId: 'p', accountSid: null }
const tenant: StoredRole = { role: 'tenant_admin', providerId: null, accountSid: 't' }
const member: StoredRole = { role: 'end_user', providerId: null, accountSid: null }
const actor = (role: StoredRole['role'], providerId: string | null, accountSid: string | null) => ({
  role,
  providerId,
  accountSid,
})

test.each([
  ['the platform', platform, actor('platform_admin', null, null), [null, null]],
  ['the platform within a provider', platform, actor('platform_admin', 'p', null), ['p', null]],
  ['the platform within a tenant', platform, actor('platform_admin', 'p', 't'), ['p', 't']],
  ['the platform as a provider without a name', platform, actor('provider_admin', null, null), null],
  ['the platform as a tenant', platform, actor('tenant_admin', 'p', 't'), ['p', 't']],
  ['the platform as a tenant without a name', platform, actor('tenant_admin', null, null), null],
  ['the platform as an end user', platform, actor('end_user', 'p', 't'), null],
  ['a provider', reseller, actor('provider_admin', 'p', null), ['p', null]],
  ['a provider within a tenant', reseller, actor('provider_admin', 'p', 't'), ['p', 't']],
  ['a provider that names another', reseller, actor('provider_admin', 'q', null), null],
  ['a tenant', tenant, actor('tenant_admin', 'p', 't'), ['p', 't']],
  ['a tenant that names another', tenant, actor('tenant_admin', 'q', 'u'), null],
  ['a tenant that was promoted in a cache only', tenant, actor('platform_admin', null, null), [null, 't']],
  ['a user who was demoted since', member, actor('tenant_admin', 'p', 't'), null],
])('%s', (_who, place, acting, scope) => {
  expect(computeAdminScope(acting, place)).toEqual(scope && { providerId: scope[0], accountSid: scope[1] })
})

const RESELLER_BY_TENANT = new Map([
  ['t1', 'p1'],
  ['t2', 'p1'],
  ['t3', 'p2'],
])
const directory = {
  resellers: new Set(['p1', 'p2']),
  tenants: RESELLER_BY_TENANT,
  workspaces: new Map([
    [1, 't1'],
    [2, 't2'],
    [3, 't3'],
  ]),
}
const places: fc.Arbitrary<StoredRole> = fc.oneof(
  fc.constantFrom(platform, member),
  fc.constantFrom('p1', 'p2').map((providerId) => ({ ...reseller, providerId })),
  fc.constantFrom('t1', 't2', 't3').map((accountSid) => ({ ...tenant, accountSid })),
)
const claims = fc.record({
  actorType: fc.option(fc.constantFrom(...ACTOR_ROLES)),
  providerId: fc.option(fc.constantFrom('p1', 'p2')),
  tenantId: fc.option(fc.constantFrom('t1', 't2', 't3')),
  workspaceId: fc.option(fc.constantFrom(1, 2, 3)),
})
const memberships = fc.uniqueArray(
  fc.record({ workspaceId: fc.constantFrom(1, 2, 3), role: fc.constantFrom('viewer' as const, 'admin' as const) }),
  { selector: (row) => row.workspaceId },
)

/** Whether an actor administers a tenant without context headers. */
function administersTenant({ role, providerId, accountSid }: StoredRole, tenantId: string): boolean {
  if (role === 'platform_admin') return true
  return role === 'provider_admin'
    ? RESELLER_BY_TENANT.get(tenantId) === providerId
    : role === 'tenant_admin' && accountSid === tenantId
}

test('no membership and no header gives an actor more to administer', () => {
  fc.assert(
    fc.property(places, memberships, claims, (place, members, headers) => {
      const base = resolveActor(
        {
          ...{ credentialId: 'token_1', isSession: false, userId: 'user_1', scopes: null, workspaceIds: null },
          ...{ expiresAt: null, memberships: members, ...place },
        },
        directory,
      )
      let narrowed = base
      try {
        narrowed = narrowActor(base, headers, directory)
      } catch (error) {
        // Rejected headers give no access.
        if (error instanceof AppError) return
        throw error
      }
      const scope = computeAdminScope(narrowed, place)
      if (scope === null) return
      for (const [accountSid, providerId] of RESELLER_BY_TENANT) {
        if (!includesTenant(scope, { accountSid, providerId })) continue
        expect(administersTenant(place, accountSid)).toBe(true)
        expect([null, accountSid]).toContain(headers.tenantId)
        expect([null, providerId]).toContain(headers.providerId)
      }
      for (const providerId of directory.resellers) {
        if (!includesReseller(scope, providerId)) continue
        expect(place.role === 'platform_admin' || place.providerId === providerId).toBe(true)
        expect([null, providerId]).toContain(headers.providerId)
        expect(headers.tenantId).toBeNull()
      }
    }),
    { numRuns: 3000 },
  )
})
