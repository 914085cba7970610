import { SCOPES } from '@parley/contract/access'
import { describe, expect, test } from 'vitest'
import type { Actor } from '../../kernel/access/actor.ts'
import { credential, TENANT_DIRECTORY } from './actors-test-kit.ts'
import { resolveActor } from './resolve-actor.ts'

const reach = (actor: Actor): string[] => [...actor.workspaces].map(([id, { level }]) => `${id}:${level}`).sort()

describe('resolveActor', () => {
  test.each([
    [{ role: 'platform_admin' }, ['1:account', '2:account', '3:account', '4:account']],
    [{ role: 'provider_admin', providerId: 'provider_a' }, ['1:account', '2:account', '3:account']],
    [{ role: 'provider_admin', providerId: null }, []],
    [{ role: 'tenant_admin', accountSid: 'south' }, ['3:account']],
    [{ role: 'tenant_admin', accountSid: 'gone' }, []],
    [{ role: 'tenant_admin', accountSid: null }, []],
    [{ role: 'end_user' }, []],
    [{ role: 'end_user', providerId: 'provider_a', accountSid: 'north' }, []],
  ] as const)('%j reaches %j', (given, expected) => {
    expect(reach(resolveActor(credential(given), TENANT_DIRECTORY))).toEqual(expected)
  })

  test('adds memberships; one in the own tenant is worth less than administering it', () => {
    const memberships = [
      { workspaceId: 1, role: 'viewer' },
      { workspaceId: 4, role: 'admin' },
      { workspaceId: 99, role: 'admin' },
    ] as const
    expect(reach(resolveActor(credential({ memberships }), TENANT_DIRECTORY))).toEqual(['1:viewer', '4:admin'])
    const admin = credential({ memberships, role: 'tenant_admin', accountSid: 'north' })
    expect(reach(resolveActor(admin, TENANT_DIRECTORY))).toEqual(['1:account', '2:account', '4:admin'])
  })

  test('knows the provider of a tenant', () => {
    const admin = credential({ role: 'tenant_admin', accountSid: 'west' })
    expect(resolveActor(admin, TENANT_DIRECTORY)).toMatchObject({ providerId: 'provider_b', accountSid: 'west' })
  })

  test('has the scopes of the token, or all', () => {
    expect([...resolveActor(credential(), TENANT_DIRECTORY).scopes]).toEqual(SCOPES)
    expect([...resolveActor(credential({ scopes: ['read'] }), TENANT_DIRECTORY).scopes]).toEqual(['read'])
  })

  test.each([
    [{ role: 'platform_admin' }, [1, 4, 99], ['1:admin', '4:admin']],
    [{ role: 'tenant_admin', accountSid: 'north' }, [1, 3], ['1:admin']],
    [{ role: 'end_user', memberships: [{ workspaceId: 1, role: 'viewer' }] }, [1, 2], ['1:viewer']],
    [{ role: 'platform_admin' }, [], []],
  ] as const)('a token of %j limited to %j acts as an end user in %j', (given, workspaceIds, expected) => {
    const actor = resolveActor(credential({ ...given, workspaceIds }), TENANT_DIRECTORY)
    expect(actor).toMatchObject({ role: 'end_user', providerId: null, accountSid: null })
    expect(reach(actor)).toEqual(expected)
  })
})
