import { type ActorRole, isLevelAtLeast, isRoleAtLeast, SCOPES, type Scope } from '@parley/contract/access'
import type { CreateTokenBody } from '@parley/contract/token'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'

/** Limits of a new token, which are the rights of its creator. */
export interface TokenBounds {
  readonly scopes: ReadonlySet<Scope>
  readonly workspaces: Actor['workspaces']
  /** Whether the creator has fewer rights than the owner, now or later. */
  readonly isLimited: boolean
  /** Expiry of the creating token, or null for unlimited tokens and sessions. */
  readonly endsAt: number | null
}

interface TokenPlan {
  readonly scopes: readonly Scope[]
  /** Workspaces, or null for all workspaces of the owner. */
  readonly workspaceIds: readonly number[] | null
  readonly expiresAt: number | null
}

type TokenRequest = Pick<CreateTokenBody, 'scopes' | 'workspaceIds' | 'expiresAt'>

/**
 * Plans the rights of a new token: the requested rights, limited to those of its creator. Throws if the request exceeds them.
 */
export function planToken(bounds: TokenBounds, request: TokenRequest, now: number): TokenPlan {
  const expiresAt = planExpiry(bounds, request.expiresAt ?? null, now)
  return { scopes: planScopes(bounds, request), workspaceIds: planWorkspaces(bounds, request), expiresAt }
}

function planExpiry({ endsAt }: TokenBounds, requested: number | null, now: number): number | null {
  if (requested !== null && requested <= now) throw invalidField('expiresAt', 'must be in the future')
  if (endsAt === null) return requested
  if (requested !== null && requested > endsAt) {
    const end = new Date(endsAt).toISOString()
    throw new AppError('forbidden', `This token expires at ${end} and cannot create one that lives longer.`)
  }
  return requested ?? endsAt
}

function planScopes({ scopes }: TokenBounds, request: TokenRequest): readonly Scope[] {
  const missingScope = request.scopes?.find((scope) => !scopes.has(scope))
  if (missingScope !== undefined) {
    throw new AppError('forbidden', `This credential does not have the scope "${missingScope}".`)
  }
  // Scopes are in the contract's order, regardless of the request.
  return SCOPES.filter((scope) => (request.scopes ?? scopes.values().toArray()).includes(scope))
}

function planWorkspaces({ workspaces, isLimited }: TokenBounds, request: TokenRequest): readonly number[] | null {
  const requestedIds = request.workspaceIds ?? null
  if (requestedIds === null) return isLimited ? planAllWorkspaces(workspaces) : null
  const inaccessibleId = requestedIds.find((id) => !workspaces.has(id))
  if (inaccessibleId !== undefined) {
    throw new AppError('workspace_forbidden', `This token does not have access to workspace ${inaccessibleId}.`)
  }
  return requestedIds.toSorted((a, b) => a - b)
}

function planAllWorkspaces(workspaces: Actor['workspaces']): readonly number[] {
  if (workspaces.size > 0) return [...workspaces.keys()].toSorted((a, b) => a - b)
  throw new AppError('forbidden', 'Within the limits of this request the token would have no workspace.')
}

/** A person, for decisions about who administers the person. */
export interface Person {
  readonly userId: string
  readonly role: ActorRole
  /** Reseller of a provider_admin, or reseller of a tenant_admin's tenant. */
  readonly providerId: string | null
  /** Tenant of a tenant_admin. */
  readonly accountSid: string | null
  /** The tenant that first invited the person, and its reseller. Null for people of the platform and of resellers. */
  readonly home: { readonly accountSid: string; readonly providerId: string | null } | null
  /** Memberships of the person. */
  readonly memberships: readonly { readonly workspaceId: number; readonly accountSid: string }[]
}

type Manager = Pick<Actor, 'role' | 'providerId' | 'accountSid' | 'workspaces'>

/**
 * Whether the actor administers a person. A platform_admin without context administers everyone. Others administer end users,
 * and administrators of their own tenant or reseller up to their own role. Both require the level admin in all workspaces of
 * the person's home tenant. Memberships elsewhere are ignored. Without a home tenant, all memberships count.
 */
export function canManage(actor: Manager, person: Person): boolean {
  const { role, providerId, accountSid } = actor
  if (role === 'platform_admin' && providerId === null && accountSid === null) return true
  const { home, memberships } = person
  const atHome =
    home === null ? memberships : memberships.filter((membership) => membership.accountSid === home.accountSid)
  if (!atHome.every(({ workspaceId }) => administersWorkspace(actor, workspaceId))) return false
  switch (person.role) {
    case 'platform_admin':
      return false
    case 'provider_admin':
      if (!administersHomeTenant(actor, person)) return false
      return isRoleAtLeast(role, 'provider_admin') && accountSid === null && isSameOwner(providerId, person.providerId)
    case 'tenant_admin':
      if (!isRoleAtLeast(role, 'tenant_admin') || !administersHomeTenant(actor, person)) return false
      if (accountSid !== null) return accountSid === person.accountSid
      return isRoleAtLeast(role, 'provider_admin') && isSameOwner(providerId, person.providerId)
    case 'end_user':
      return atHome.length > 0
  }
}

/** Whether the actor administers the person's home tenant. */
function administersHomeTenant({ accountSid, providerId }: Manager, { home }: Person): boolean {
  if (home === null) return true
  return accountSid === null ? isSameOwner(providerId, home.providerId) : accountSid === home.accountSid
}

function isSameOwner(actorOwner: string | null, personOwner: string | null): boolean {
  return actorOwner !== null && actorOwner === personOwner
}

function administersWorkspace({ workspaces }: Manager, workspaceId: number): boolean {
  const reached = workspaces.get(workspaceId)
  return reached !== undefined && isLevelAtLeast(reached.level, 'admin')
}
