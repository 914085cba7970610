import { SCOPES } from '@parley/contract/access'
import { type Actor, limitActor, type WorkspaceAccess } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Credential } from './credential-store.ts'

/** Derives the actor from the owner's role and memberships and from the credential's limits. */
export function resolveActor(credential: Credential, directory: TenantDirectory): Actor {
  const { userId, credentialId, isSession, expiresAt, role, accountSid } = credential
  const tenantResellerId = accountSid === null ? null : (directory.tenants.get(accountSid) ?? null)
  const owner = {
    userId,
    credentialId,
    isSession,
    expiresAt,
    role,
    scopes: new Set(SCOPES),
    providerId: credential.providerId ?? tenantResellerId,
    accountSid,
    workspaces: listAccessibleWorkspaces(credential, directory),
  }
  return limitActor(owner, credential)
}

function listAccessibleWorkspaces(
  credential: Credential,
  directory: TenantDirectory,
): ReadonlyMap<number, WorkspaceAccess> {
  const workspaces = new Map<number, WorkspaceAccess>()
  for (const { workspaceId, role } of credential.memberships) {
    const accountSid = directory.workspaces.get(workspaceId)
    if (accountSid !== undefined) workspaces.set(workspaceId, { level: role, accountSid })
  }
  if (credential.role === 'end_user') return workspaces
  for (const [id, accountSid] of directory.workspaces) {
    if (isAccountAdministrator(credential, accountSid, directory)) workspaces.set(id, { level: 'account', accountSid })
  }
  return workspaces
}

function isAccountAdministrator(
  { role, providerId, accountSid: administeredAccountSid }: Credential,
  accountSid: string,
  directory: TenantDirectory,
): boolean {
  if (role === 'platform_admin') return true
  if (role === 'provider_admin') return providerId !== null && directory.tenants.get(accountSid) === providerId
  return administeredAccountSid === accountSid
}
