import { SCOPES } from '@parley/contract/access'
import type { AccountDirectory } from '../../kernel/account-directory.ts'
import type { Actor, ReachedWorkspace } from '../../kernel/actor.ts'
import type { StoredCredential } from './credential-store.ts'

/**
 * What a credential may do: its owner's place in the hierarchy and memberships, within what the credential was limited to.
 * One that is limited to some workspaces acts as an end user in them, so that it never reaches beyond.
 */
export function resolveActor(credential: StoredCredential, accounts: AccountDirectory): Actor {
  const { workspaceIds } = credential
  const reached = reachOf(credential, accounts)
  const limited = {
    userId: credential.userId,
    credentialId: credential.credentialId,
    isSession: credential.isSession,
    expiresAt: credential.expiresAt,
    scopes: new Set(credential.scopes ?? SCOPES),
  }
  if (workspaceIds === null) {
    const { role, providerId, accountSid } = credential
    const tenantsProvider = accountSid === null ? null : (accounts.tenants.get(accountSid) ?? null)
    return { ...limited, role, providerId: providerId ?? tenantsProvider, accountSid, workspaces: reached }
  }
  const workspaces = new Map<number, ReachedWorkspace>()
  for (const id of workspaceIds) {
    const one = reached.get(id)
    if (one !== undefined) workspaces.set(id, one.level === 'account' ? { ...one, level: 'admin' } : one)
  }
  return { ...limited, role: 'end_user', providerId: null, accountSid: null, workspaces }
}

function reachOf(credential: StoredCredential, accounts: AccountDirectory): ReadonlyMap<number, ReachedWorkspace> {
  const workspaces = new Map<number, ReachedWorkspace>()
  for (const { workspaceId, role } of credential.memberships) {
    const accountSid = accounts.workspaces.get(workspaceId)
    if (accountSid !== undefined) workspaces.set(workspaceId, { level: role, accountSid })
  }
  if (credential.role === 'end_user') return workspaces
  for (const [id, accountSid] of accounts.workspaces) {
    if (administers(credential, accountSid, accounts)) workspaces.set(id, { level: 'account', accountSid })
  }
  return workspaces
}

function administers(
  { role, providerId, accountSid: own }: StoredCredential,
  accountSid: string,
  accounts: AccountDirectory,
): boolean {
  if (role === 'platform_admin') return true
  if (role === 'provider_admin') return providerId !== null && accounts.tenants.get(accountSid) === providerId
  return own === accountSid
}
