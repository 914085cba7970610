import { SCOPES } from '@parley/contract/access'
import { type Actor, limitActor, type ReachedWorkspace } from '../../kernel/access/actor.ts'
import type { AccountDirectory } from '../../kernel/access/actor-context.ts'
import type { Credential } from './credential-store.ts'

/** What a credential may do: its owner's place in the hierarchy and memberships, within what the credential was limited to. */
export function resolveActor(credential: Credential, accounts: AccountDirectory): Actor {
  const { userId, credentialId, isSession, expiresAt, role, accountSid } = credential
  const tenantsProvider = accountSid === null ? null : (accounts.tenants.get(accountSid) ?? null)
  const owner = {
    userId,
    credentialId,
    isSession,
    expiresAt,
    role,
    scopes: new Set(SCOPES),
    providerId: credential.providerId ?? tenantsProvider,
    accountSid,
    workspaces: reachOf(credential, accounts),
  }
  return limitActor(owner, credential)
}

function reachOf(credential: Credential, accounts: AccountDirectory): ReadonlyMap<number, ReachedWorkspace> {
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
  { role, providerId, accountSid: own }: Credential,
  accountSid: string,
  accounts: AccountDirectory,
): boolean {
  if (role === 'platform_admin') return true
  if (role === 'provider_admin') return providerId !== null && accounts.tenants.get(accountSid) === providerId
  return own === accountSid
}
