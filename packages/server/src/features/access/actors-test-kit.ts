import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Credential } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'

/** Two resellers: the first owns the tenants north (workspaces 1 and 2) and south (3), and the second owns west (4). */
export const TENANT_DIRECTORY: TenantDirectory = {
  resellers: new Set(['provider_a', 'provider_b']),
  tenants: new Map([
    ['north', 'provider_a'],
    ['south', 'provider_a'],
    ['west', 'provider_b'],
  ]),
  workspaces: new Map([
    [1, 'north'],
    [2, 'north'],
    [3, 'south'],
    [4, 'west'],
  ]),
}

/** Builds an end user's token without limits or memberships, then applies the overrides. */
export function buildCredential(overrides: Partial<Credential> = {}): Credential {
  return {
    credentialId: 'token_1',
    isSession: false,
    userId: 'user_1',
    role: 'end_user',
    providerId: null,
    accountSid: null,
    scopes: null,
    workspaceIds: null,
    expiresAt: null,
    memberships: [],
    ...overrides,
  }
}

const createActor = (overrides: Partial<Credential>): Actor =>
  resolveActor(buildCredential(overrides), TENANT_DIRECTORY)

/**
 * One actor for each role. All except the platform admin are also members of workspace 4, which belongs to the other reseller.
 */
export const ACTORS = {
  platform: createActor({ role: 'platform_admin' }),
  provider: createActor({
    role: 'provider_admin',
    providerId: 'provider_a',
    memberships: [{ workspaceId: 4, role: 'viewer' }],
  }),
  tenant: createActor({ role: 'tenant_admin', accountSid: 'north', memberships: [{ workspaceId: 4, role: 'editor' }] }),
  user: createActor({
    memberships: [
      { workspaceId: 1, role: 'admin' },
      { workspaceId: 4, role: 'viewer' },
    ],
  }),
} as const
