import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Actor } from '../../kernel/access/actor.ts'
import { type ContextClaims, narrowActor } from '../../kernel/access/actor-context.ts'
import type { AppError } from '../../kernel/errors.ts'
import { canManageKeys, checkCanManageKeys, type KeyOwner, listManageableOwners } from './key-owner.ts'
import {
  buildActor,
  buildMemberships,
  EMPTY_TENANT,
  FOREIGN_TENANT,
  MEMBER,
  OTHER_RESELLER,
  PLATFORM_ADMIN,
  RESELLER,
  RESELLER_ADMIN,
  SISTER_TENANT,
  TENANT,
  TENANT_ADMIN,
  TENANT_DIRECTORY,
} from './vendor-key-test-kit.ts'

const OWNERS: Readonly<Record<string, KeyOwner>> = {
  'workspace 1': { kind: 'workspace', id: 1 },
  'workspace 2': { kind: 'workspace', id: 2 },
  'workspace 3': { kind: 'workspace', id: 3 },
  'workspace 4': { kind: 'workspace', id: 4 },
  'workspace 99': { kind: 'workspace', id: 99 },
  tenant: { kind: 'tenant', id: TENANT },
  'sister tenant': { kind: 'tenant', id: SISTER_TENANT },
  'foreign tenant': { kind: 'tenant', id: FOREIGN_TENANT },
  'empty tenant': { kind: 'tenant', id: EMPTY_TENANT },
  'unknown tenant': { kind: 'tenant', id: 'nobody' },
  provider: { kind: 'provider', id: RESELLER },
  'other provider': { kind: 'provider', id: OTHER_RESELLER },
  'unknown provider': { kind: 'provider', id: 'nobody' },
}

const ALL_OWNER_NAMES = Object.keys(OWNERS).filter((name) => !/unknown|99/.test(name))
const RESELLER_OWNER_NAMES = ['workspace 1', 'workspace 2', 'workspace 3', 'tenant', 'sister tenant', 'provider']

function narrow(actor: Actor, claims: Partial<ContextClaims>): Actor {
  const none = { actorType: null, providerId: null, tenantId: null, workspaceId: null }
  return narrowActor(actor, { ...none, ...claims }, TENANT_DIRECTORY)
}

/** Administers TENANT and is a member, even an admin, in another tenant's workspace. */
const VISITING_TENANT_ADMIN = buildActor('tenant_admin', [1, 2], {
  providerId: RESELLER,
  accountSid: TENANT,
  workspaces: new Map([...TENANT_ADMIN.workspaces, ...buildMemberships({ 4: 'admin' })]),
})
const VISITING_RESELLER_ADMIN = buildActor('provider_admin', [], {
  providerId: RESELLER,
  workspaces: new Map([...RESELLER_ADMIN.workspaces, ...buildMemberships({ 4: 'admin' })]),
})

const CASES: readonly (readonly [string, Actor, readonly string[]])[] = [
  ['a platform_admin', PLATFORM_ADMIN, ALL_OWNER_NAMES],
  ['a provider_admin', RESELLER_ADMIN, RESELLER_OWNER_NAMES],
  ['a tenant_admin', TENANT_ADMIN, ['workspace 1', 'workspace 2', 'tenant']],
  ['an admin of one workspace, editor of another', MEMBER, ['workspace 1']],
  ['a viewer', buildActor('end_user', [], { workspaces: buildMemberships({ 1: 'viewer' }) }), []],
  ['a token without the scope admin', { ...PLATFORM_ADMIN, scopes: new Set(['read', 'write', 'calls']) }, []],
  [
    'a tenant_admin who is a member elsewhere',
    VISITING_TENANT_ADMIN,
    ['workspace 1', 'workspace 2', 'workspace 4', 'tenant'],
  ],
  [
    'the same tenant_admin in the tenant where it is a member',
    narrow(VISITING_TENANT_ADMIN, { tenantId: FOREIGN_TENANT }),
    ['workspace 4'],
  ],
  [
    'a provider_admin where it is a member',
    narrow(VISITING_RESELLER_ADMIN, { providerId: OTHER_RESELLER }),
    ['workspace 4'],
  ],
  ['a provider_admin in such a tenant', narrow(VISITING_RESELLER_ADMIN, { tenantId: FOREIGN_TENANT }), ['workspace 4']],
  [
    'a platform_admin in a tenant',
    narrow(PLATFORM_ADMIN, { tenantId: TENANT }),
    ['workspace 1', 'workspace 2', 'tenant'],
  ],
  ['a platform_admin in an empty tenant', narrow(PLATFORM_ADMIN, { tenantId: EMPTY_TENANT }), ['empty tenant']],
  ['a platform_admin in a provider', narrow(PLATFORM_ADMIN, { providerId: RESELLER }), RESELLER_OWNER_NAMES],
  [
    'a platform_admin as provider_admin of a tenant',
    narrow(PLATFORM_ADMIN, { actorType: 'provider_admin', tenantId: SISTER_TENANT }),
    ['workspace 3', 'sister tenant'],
  ],
  [
    'a platform_admin as provider_admin',
    narrow(PLATFORM_ADMIN, { actorType: 'provider_admin', providerId: OTHER_RESELLER }),
    ['workspace 4', 'foreign tenant', 'empty tenant', 'other provider'],
  ],
  [
    'a platform_admin as tenant_admin',
    narrow(PLATFORM_ADMIN, { actorType: 'tenant_admin', tenantId: TENANT }),
    ['workspace 1', 'workspace 2', 'tenant'],
  ],
  [
    'a platform_admin as tenant_admin of nothing in particular',
    narrow(PLATFORM_ADMIN, { actorType: 'tenant_admin', providerId: OTHER_RESELLER }),
    ['workspace 4'],
  ],
  [
    'a provider_admin in a tenant',
    narrow(RESELLER_ADMIN, { tenantId: SISTER_TENANT }),
    ['workspace 3', 'sister tenant'],
  ],
  [
    'a provider_admin as tenant_admin',
    narrow(RESELLER_ADMIN, { actorType: 'tenant_admin', tenantId: TENANT }),
    ['workspace 1', 'workspace 2', 'tenant'],
  ],
  ['a tenant_admin as end_user', narrow(TENANT_ADMIN, { actorType: 'end_user' }), ['workspace 1', 'workspace 2']],
]

describe.each(CASES)('%s', (_who, actor, expected) => {
  test('manages the keys of exactly these owners', () => {
    const managed = Object.keys(OWNERS).filter((name) =>
      canManageKeys(actor, OWNERS[name] as KeyOwner, TENANT_DIRECTORY),
    )
    expect(managed).toEqual(Object.keys(OWNERS).filter((name) => expected.includes(name)))
  })

  test('lists the keys of the same owners', () => {
    const listed = listManageableOwners(actor, TENANT_DIRECTORY)
    if (listed === 'all') expect(expected).toEqual(ALL_OWNER_NAMES)
    else expect(new Set(listed)).toEqual(new Set(expected.map((name) => OWNERS[name])))
  })

  test('is rejected for the others in one way', () => {
    for (const [name, owner] of Object.entries(OWNERS)) {
      const code = getErrorCode(() => checkCanManageKeys(actor, owner, TENANT_DIRECTORY))
      const isReached = owner.kind === 'workspace' && actor.workspaces.has(owner.id)
      const refusal = owner.kind !== 'workspace' || isReached ? 'forbidden' : 'workspace_forbidden'
      expect([name, code]).toEqual([name, expected.includes(name) ? null : refusal])
    }
  })
})

test('returns the same error for a foreign owner and an unknown one', () => {
  const getMessage = (owner: KeyOwner) =>
    getErrorMessage(() => checkCanManageKeys(TENANT_ADMIN, owner, TENANT_DIRECTORY))
  expect(getMessage({ kind: 'tenant', id: FOREIGN_TENANT })).toBe(getMessage({ kind: 'tenant', id: 'nobody' }))
  expect(getMessage({ kind: 'provider', id: RESELLER })).toBe(getMessage({ kind: 'provider', id: 'nobody' }))
  expect(getMessage({ kind: 'workspace', id: 4 }).replace('4', '99')).toBe(getMessage({ kind: 'workspace', id: 99 }))
})

test('context headers never give access to more owners', () => {
  const actors = [PLATFORM_ADMIN, RESELLER_ADMIN, TENANT_ADMIN, MEMBER, VISITING_TENANT_ADMIN, VISITING_RESELLER_ADMIN]
  const claim = fc.record({
    actorType: fc.constantFrom('platform_admin', 'provider_admin', 'tenant_admin', 'end_user', null),
    providerId: fc.constantFrom(...TENANT_DIRECTORY.resellers, null),
    tenantId: fc.constantFrom(...TENANT_DIRECTORY.tenants.keys(), null),
    workspaceId: fc.constantFrom(...TENANT_DIRECTORY.workspaces.keys(), null),
  })
  fc.assert(
    fc.property(fc.constantFrom(...actors), claim, (actor, claims) => {
      let narrowed: Actor
      try {
        narrowed = narrowActor(actor, claims, TENANT_DIRECTORY)
      } catch {
        return
      }
      for (const owner of Object.values(OWNERS)) {
        if (canManageKeys(narrowed, owner, TENANT_DIRECTORY))
          expect(canManageKeys(actor, owner, TENANT_DIRECTORY)).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})

function getErrorCode(attempt: () => void): string | null {
  try {
    attempt()
    return null
  } catch (error) {
    return (error as AppError).code
  }
}

function getErrorMessage(attempt: () => void): string {
  try {
    attempt()
    return ''
  } catch (error) {
    return (error as AppError).message
  }
}
