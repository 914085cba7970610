import { RIGHTS, type Right } from '@parley/contract/access'
import { expect, test } from 'vitest'
import { ACTORS } from '../../features/access/actors-test-kit.ts'
import { hasScopeAndRole, hasWorkspaceLevel, listPermittedWorkspaces, requireRowAccess } from './actor.ts'

const rights = Object.keys(RIGHTS) as Right[]

test.each([
  ['platform', 4, rights],
  ['provider', 3, ['read', 'write', 'calls', 'own-tokens', 'admin', 'account', 'tenants']],
  ['provider', 4, ['read', 'own-tokens']],
  ['tenant', 1, ['read', 'write', 'calls', 'own-tokens', 'admin', 'account']],
  ['tenant', 3, []],
  ['tenant', 4, ['read', 'write', 'calls', 'own-tokens']],
  ['user', 1, ['read', 'write', 'calls', 'own-tokens', 'admin']],
  ['user', 4, ['read', 'own-tokens']],
  ['user', 2, []],
  ['platform', 99, []],
] as const)('%s may in workspace %i: %j', (kind, workspaceId, allowedRights) => {
  expect(rights.filter((right) => hasWorkspaceLevel(ACTORS[kind], right, workspaceId))).toEqual(allowedRights)
})

test.each([
  ['tenant', 'read', [4, 1, 2]],
  ['tenant', 'admin', [1, 2]],
  ['tenant', 'tenants', []],
  ['user', 'write', [1]],
  ['user', 'account', []],
] as const)('%s may %s in the workspaces %j', (kind, right, workspaces) => {
  expect(listPermittedWorkspaces(ACTORS[kind], right)).toEqual(workspaces)
})

test('returns 404 for inaccessible rows and 403 for an insufficient role', () => {
  const requireAccess = (workspaceId: number | null, right: Right) =>
    requireRowAccess(ACTORS.user, right, {
      resourceName: 'call',
      id: 'call_1',
      row: workspaceId === null ? null : { workspace_id: workspaceId },
    })
  expect(requireAccess(4, 'read')).toEqual({ workspace_id: 4 })
  const notFoundError = expect.objectContaining({ code: 'not_found' })
  expect(() => requireAccess(2, 'read')).toThrow(notFoundError)
  expect(() => requireAccess(null, 'read')).toThrow(notFoundError)
  expect(() => requireAccess(4, 'calls')).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test('grants no right whose scope is missing', () => {
  const reader = { ...ACTORS.platform, scopes: new Set(['read'] as const) }
  expect(rights.filter((right) => hasScopeAndRole(reader, right))).toEqual(['read'])
  expect(hasWorkspaceLevel(reader, 'write', 1)).toBe(false)
  expect(listPermittedWorkspaces(reader, 'write')).toEqual([])
})
