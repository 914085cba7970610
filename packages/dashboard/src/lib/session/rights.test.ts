import type { CurrentSession } from '@parley/contract/session'
import { expect, test } from 'vitest'
import { canCall } from './rights.ts'

const session = (level: 'viewer' | 'editor' | 'admin', changes: Partial<CurrentSession> = {}): CurrentSession => ({
  user: { userId: 'user_1', email: 'a@example.com', name: '', role: 'end_user' },
  sessionId: 'session_1',
  expiresAt: '2026-12-01T00:00:00.000Z',
  role: 'end_user',
  scopes: ['read', 'write', 'calls', 'admin'],
  workspaces: [{ id: 1, level }],
  ...changes,
})

test('a viewer reads and changes nothing', () => {
  expect(canCall(session('viewer'), 'listAgents', 1)).toBe(true)
  expect(canCall(session('viewer'), 'updateAgent', 1)).toBe(false)
  expect(canCall(session('viewer'), 'createChat', 1)).toBe(false)
  expect(canCall(session('viewer'), 'listWebhooks', 1)).toBe(false)
})

test('editors change agents, administrators change members, neither changes workspaces', () => {
  expect(canCall(session('editor'), 'updateAgent', 1)).toBe(true)
  expect(canCall(session('editor'), 'listMembers', 1)).toBe(false)
  expect(canCall(session('admin'), 'listMembers', 1)).toBe(true)
  expect(canCall(session('admin'), 'createWorkspace', 1)).toBe(false)
  expect(canCall(session('admin', { role: 'tenant_admin' }), 'createWorkspace', 1)).toBe(true)
})

test('permissions are limited to the workspace and the scopes of the session', () => {
  expect(canCall(session('admin'), 'listAgents', 2)).toBe(false)
  expect(canCall(session('admin', { scopes: ['read'] }), 'updateAgent', 1)).toBe(false)
})
