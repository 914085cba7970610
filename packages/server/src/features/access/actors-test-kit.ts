import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Credential } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'

/** For tests: two providers; the first has the tenants north (workspaces 1 and 2) and south (3), the second west (4). */
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

/** A token of an end user without limits and memberships, but for what is given. */
export function credential(given: Partial<Credential> = {}): Credential {
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
    ...given,
  }
}

const actor = (given: Partial<Credential>): Actor => resolveActor(credential(given), TENANT_DIRECTORY)

/** One of each kind. All but the platform's are also members of workspace 4, which is of the other provider. */
export const ACTORS = {
  platform: actor({ role: 'platform_admin' }),
  provider: actor({
    role: 'provider_admin',
    providerId: 'provider_a',
    memberships: [{ workspaceId: 4, role: 'viewer' }],
  }),
  tenant: actor({ role: 'tenant_admin', accountSid: 'north', memberships: [{ workspaceId: 4, role: 'editor' }] }),
  user: actor({
    memberships: [
      { workspaceId: 1, role: 'admin' },
      { workspaceId: 4, role: 'viewer' },
    ],
  }),
} as const
