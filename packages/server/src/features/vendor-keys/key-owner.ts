import { type Actor, hasScopeAndRole, hasWorkspaceLevel, listPermittedWorkspaces } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'

/** Owner of a key. The owner's workspaces may use the key, and its administrators may manage it. */
export type KeyOwner =
  | { readonly kind: 'workspace'; readonly id: number }
  | { readonly kind: 'tenant'; readonly id: string }
  | { readonly kind: 'provider'; readonly id: string }

/** Owner fields of a request or response. At most one is set. */
export interface OwnerFields {
  readonly workspaceId: number | null
  readonly tenantId: string | null
  readonly providerId: string | null
}

/** Returns the owners in the fields, ordered from workspace to reseller. */
export function listOwners({ workspaceId, tenantId, providerId }: OwnerFields): KeyOwner[] {
  return [
    ...(workspaceId === null ? [] : [{ kind: 'workspace' as const, id: workspaceId }]),
    ...(tenantId === null ? [] : [{ kind: 'tenant' as const, id: tenantId }]),
    ...(providerId === null ? [] : [{ kind: 'provider' as const, id: providerId }]),
  ]
}

/** Whether the actor may see and change the owner's keys. False if the owner does not exist. */
export function canManageKeys(actor: Actor, owner: KeyOwner, directory: TenantDirectory): boolean {
  if (owner.kind === 'workspace') return hasWorkspaceLevel(actor, 'admin', owner.id)
  const gaps = findAccessGaps(actor, directory)
  return owner.kind === 'tenant'
    ? administersTenant(actor, owner.id, { directory, gaps })
    : administersReseller(actor, owner.id, { directory, gaps })
}

/**
 * Throws unless the actor may manage the owner's keys: `workspace_forbidden` for an inaccessible workspace, and
 * `forbidden` otherwise.
 */
export function checkCanManageKeys(actor: Actor, owner: KeyOwner, directory: TenantDirectory): void {
  if (canManageKeys(actor, owner, directory)) return
  if (owner.kind !== 'workspace') {
    throw new AppError('forbidden', `This operation requires an administrator of the ${owner.kind}.`)
  }
  if (actor.workspaces.has(owner.id))
    throw new AppError('forbidden', 'This operation requires the "admin" role in the workspace.')
  throw new AppError('workspace_forbidden', `This token does not have access to workspace ${owner.id}.`)
}

/** Returns the owners whose keys the actor may manage, or `all` for unrestricted platform admins. */
export function listManageableOwners(actor: Actor, directory: TenantDirectory): readonly KeyOwner[] | 'all' {
  const gaps = findAccessGaps(actor, directory)
  const isUnrestricted = actor.providerId === null && actor.accountSid === null && gaps.tenants.size === 0
  if (isUnrestricted && actor.role === 'platform_admin' && hasScopeAndRole(actor, 'providers')) return 'all'
  const scope = { directory, gaps }
  return [
    ...listPermittedWorkspaces(actor, 'admin').map((id) => ({ kind: 'workspace' as const, id })),
    ...[...directory.tenants.keys()]
      .filter((id) => administersTenant(actor, id, scope))
      .map((id) => ({ kind: 'tenant' as const, id })),
    ...[...directory.resellers]
      .filter((id) => administersReseller(actor, id, scope))
      .map((id) => ({ kind: 'provider' as const, id })),
  ]
}

/** Tenants and resellers with a workspace that the actor cannot access with the level `account`. */
interface AccessGaps {
  readonly tenants: ReadonlySet<string>
  readonly resellers: ReadonlySet<string>
}

interface AdminScope {
  readonly directory: TenantDirectory
  readonly gaps: AccessGaps
}

/**
 * Finds the tenants and resellers that the actor does not fully administer. An administrator accesses all workspaces
 * with the level `account`. Context headers may name a workspace where the actor is only a member, or limit the actor
 * to one workspace.
 */
function findAccessGaps(actor: Actor, directory: TenantDirectory): AccessGaps {
  const tenants = new Set<string>()
  for (const [id, accountSid] of directory.workspaces) {
    if (actor.workspaces.get(id)?.level !== 'account') tenants.add(accountSid)
  }
  const resellers = new Set([...tenants].flatMap((accountSid) => directory.tenants.get(accountSid) ?? []))
  return { tenants, resellers }
}

/**
 * Whether the actor administers the tenant. An actor whose request selects a tenant or reseller administers nothing outside of
 * it.
 */
function administersTenant(actor: Actor, accountSid: string, { directory, gaps }: AdminScope): boolean {
  const providerId = directory.tenants.get(accountSid)
  if (providerId === undefined || gaps.tenants.has(accountSid) || !hasScopeAndRole(actor, 'account')) return false
  if (actor.accountSid !== null) return actor.accountSid === accountSid
  if (actor.role === 'platform_admin' && actor.providerId === null) return true
  return actor.role !== 'tenant_admin' && actor.providerId === providerId && !gaps.resellers.has(providerId)
}

function administersReseller(actor: Actor, providerId: string, { directory, gaps }: AdminScope): boolean {
  if (!directory.resellers.has(providerId) || gaps.resellers.has(providerId)) return false
  if (!hasScopeAndRole(actor, 'tenants') || actor.accountSid !== null) return false
  return actor.providerId === null ? actor.role === 'platform_admin' : actor.providerId === providerId
}
