import type { CurrentSession } from '@parley/contract/session'
import { expect, test } from 'vitest'
import { canCall } from './rights.ts'

const createSession = (
  level: 'viewer' | 'editor' | 'admin',
  changes: Partial<CurrentSession> = {},
): CurrentSession => ({
  user: { userId: 'user_1', email: 'a@example.com', name: '', role: 'end_user' },
  sessionId: 'session_1',
  expiresAt: '2026-12-01T00:00:00.000Z',
  role: 'end_user',
  scopes: ['read', 'write', 'calls', 'admin'],
  workspaces: [{ id: 1, level }],
  ...changes,
})

test('a viewer can read but not write', () => {
  expect(canCall(createSession('viewer'), 'listAgents', 1)).toBe(true)
  expect(canCall(createSession('viewer'), 'updateAgent', 1)).toBe(false)
  expect(canCall(createSession('viewer'), 'createChat', 1)).toBe(false)
  expect(canCall(createSession('viewer'), 'listWebhooks', 1)).toBe(false)
})

test('editors can change agents, administrators can manage members, and neither can create workspaces', () => {
  expect(canCall(createSession('editor'), 'updateAgent', 1)).toBe(true)
  expect(canCall(createSession('editor'), 'listMembers', 1)).toBe(false)
  expect(canCall(createSession('admin'), 'listMembers', 1)).toBe(true)
  expect(canCall(createSession('admin'), 'createWorkspace', 1)).toBe(false)
  expect(canCall(createSession('admin', { role: 'tenant_admin' }), 'createWorkspace', 1)).toBe(true)
})

test('permissions are limited to the workspace and the scopes of the session', () => {
  expect(canCall(createSession('admin'), 'listAgents', 2)).toBe(false)
  expect(canCall(createSession('admin', { scopes: ['read'] }), 'updateAgent', 1)).toBe(false)
})
