import { type ActorRole, isLevelAtLeast, isRoleAtLeast, SCOPES, type Scope } from '@parley/contract/access'
import type { CreateTokenBody } from '@parley/contract/token'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'

/** The creator's rights, which limit a new token. */
export interface TokenBounds {
  readonly scopes: ReadonlySet<Scope>
  readonly workspaces: Actor['workspaces']
  /** Whether the creating credential has fewer rights than its owner, or may have fewer in the future. */
  readonly isLimited: boolean
  /** Expiry of the creating token, or null for unlimited tokens and sessions. */
  readonly maxExpiresAt: number | null
}

interface TokenPlan {
  readonly scopes: readonly Scope[]
  /** Workspaces, or null for all workspaces of the owner. */
  readonly workspaceIds: readonly number[] | null
  readonly expiresAt: number | null
}

type TokenRequest = Pick<CreateTokenBody, 'scopes' | 'workspaceIds' | 'expiresAt'>

/**
 * Plans the rights of a new token. Absent fields default to the creator's rights. Throws if the request exceeds these rights.
 */
export function planToken(bounds: TokenBounds, request: TokenRequest, now: number): TokenPlan {
  const expiresAt = planExpiry(bounds, request.expiresAt ?? null, now)
  return { scopes: planScopes(bounds, request), workspaceIds: planWorkspaces(bounds, request), expiresAt }
}

function planExpiry({ maxExpiresAt }: TokenBounds, requestedExpiry: number | null, now: number): number | null {
  if (requestedExpiry !== null && requestedExpiry <= now) throw invalidField('expiresAt', 'must be in the future')
  if (maxExpiresAt === null) return requestedExpiry
  if (requestedExpiry !== null && requestedExpiry > maxExpiresAt) {
    const latestExpiry = new Date(maxExpiresAt).toISOString()
    throw new AppError(
      'forbidden',
      `This token expires at ${latestExpiry} and cannot create a token that expires later.`,
    )
  }
  return requestedExpiry ?? maxExpiresAt
}

function planScopes({ scopes }: TokenBounds, request: TokenRequest): readonly Scope[] {
  const missingScope = request.scopes?.find((scope) => !scopes.has(scope))
  if (missingScope !== undefined) {
    throw new AppError('forbidden', `This credential does not have the scope "${missingScope}".`)
  }
  // Keeps the order of `SCOPES`, regardless of the order in the request.
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
  throw new AppError('forbidden', 'The token would not have access to any workspace.')
}

/** A person, with the data that determines who administers the person. */
export interface Person {
  readonly userId: string
  readonly role: ActorRole
  /** Reseller of a provider_admin, or reseller of a tenant_admin's tenant. */
  readonly providerId: string | null
  /** Tenant of a tenant_admin. */
  readonly accountSid: string | null
  /** The tenant that first invited the person, with its reseller. Null for platform and reseller administrators. */
  readonly home: { readonly accountSid: string; readonly providerId: string | null } | null
  /** Memberships of the person. */
  readonly memberships: readonly { readonly workspaceId: number; readonly accountSid: string }[]
}

type Manager = Pick<Actor, 'role' | 'providerId' | 'accountSid' | 'workspaces'>

/**
 * Whether the actor administers a person. A platform_admin without context administers everyone. Others administer end users,
 * and administrators of their own tenant or reseller up to their own role. Both require the level admin in all of the person's
 * workspaces in the home tenant, or in all of the person's workspaces if there is no home tenant.
 */
export function canManage(actor: Manager, person: Person): boolean {
  const { role, providerId, accountSid } = actor
  if (role === 'platform_admin' && providerId === null && accountSid === null) return true
  const { home, memberships } = person
  const homeMemberships =
    home === null ? memberships : memberships.filter((membership) => membership.accountSid === home.accountSid)
  if (!homeMemberships.every(({ workspaceId }) => administersWorkspace(actor, workspaceId))) return false
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
      return homeMemberships.length > 0
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
  const access = workspaces.get(workspaceId)
  return access !== undefined && isLevelAtLeast(access.level, 'admin')
}
