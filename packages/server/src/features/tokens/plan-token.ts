import { type ActorRole, isLevelAtLeast, isRoleAtLeast, SCOPES, type Scope } from '@parley/contract/access'
import type { CreateTokenBody } from '@parley/contract/token'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'

/** Limits of a new token: those of its creator. */
export interface TokenBounds {
  readonly scopes: ReadonlySet<Scope>
  readonly workspaces: Actor['workspaces']
  /** Whether its creator has less than the owner's rights, now and later. */
  readonly isLimited: boolean
  /** Expiry of the creating token; null for unlimited tokens and sessions. */
  readonly endsAt: number | null
}

interface TokenPlan {
  readonly scopes: readonly Scope[]
  /** Null: all workspaces of the owner. */
  readonly workspaceIds: readonly number[] | null
  readonly expiresAt: number | null
}

type TokenRequest = Pick<CreateTokenBody, 'scopes' | 'workspaceIds' | 'expiresAt'>

/** The rights of a new token: what was requested, at most what its creator has. Throws for more. */
export function planToken(bounds: TokenBounds, request: TokenRequest, now: number): TokenPlan {
  const expiresAt = planEnd(bounds, request.expiresAt ?? null, now)
  return { scopes: planScopes(bounds, request), workspaceIds: planWorkspaces(bounds, request), expiresAt }
}

function planEnd({ endsAt }: TokenBounds, requested: number | null, now: number): number | null {
  if (requested !== null && requested <= now) throw invalidField('expiresAt', 'must be in the future')
  if (endsAt === null) return requested
  if (requested !== null && requested > endsAt) {
    const end = new Date(endsAt).toISOString()
    throw new AppError('forbidden', `This token expires at ${end} and cannot create one that lives longer.`)
  }
  return requested ?? endsAt
}

function planScopes({ scopes }: TokenBounds, request: TokenRequest): readonly Scope[] {
  const missing = request.scopes?.find((scope) => !scopes.has(scope))
  if (missing !== undefined) {
    throw new AppError('forbidden', `This credential does not have the scope "${missing}".`)
  }
  // In the contract's order, whatever order was requested.
  return SCOPES.filter((scope) => (request.scopes ?? scopes.values().toArray()).includes(scope))
}

function planWorkspaces({ workspaces, isLimited }: TokenBounds, request: TokenRequest): readonly number[] | null {
  const wanted = request.workspaceIds ?? null
  if (wanted === null) return isLimited ? planAllReached(workspaces) : null
  const foreign = wanted.find((id) => !workspaces.has(id))
  if (foreign !== undefined) {
    throw new AppError('workspace_forbidden', `This token does not have access to workspace ${foreign}.`)
  }
  return wanted.toSorted((a, b) => a - b)
}

function planAllReached(workspaces: Actor['workspaces']): readonly number[] {
  if (workspaces.size > 0) return [...workspaces.keys()].toSorted((a, b) => a - b)
  throw new AppError('forbidden', 'Within the limits of this request the token would have no workspace.')
}

/** A person, for decisions about who administers them. */
export interface Person {
  readonly userId: string
  readonly role: ActorRole
  /** Of a provider_admin, and for a tenant_admin the reseller of its tenant. */
  readonly providerId: string | null
  /** Of a tenant_admin. */
  readonly accountSid: string | null
  /** The tenant that first invited the person, with its reseller; null for people of the platform and of resellers. */
  readonly home: { readonly accountSid: string; readonly providerId: string | null } | null
  /** Memberships of the person. */
  readonly memberships: readonly { readonly workspaceId: number; readonly accountSid: string }[]
}

type Manager = Pick<Actor, 'role' | 'providerId' | 'accountSid' | 'workspaces'>

/**
 * Whether the actor administers a person. A platform_admin without context administers everyone. Others administer end
 * users, and administrators of their own tenant or reseller up to their own role, when they have the level admin in all
 * workspaces of the person's home tenant. Memberships elsewhere do not matter; without a home tenant, all count.
 */
export function canManage(actor: Manager, person: Person): boolean {
  const { role, providerId, accountSid } = actor
  if (role === 'platform_admin' && providerId === null && accountSid === null) return true
  const { home, memberships } = person
  const atHome = home === null ? memberships : memberships.filter((one) => one.accountSid === home.accountSid)
  if (!atHome.every(({ workspaceId }) => administersWorkspace(actor, workspaceId))) return false
  switch (person.role) {
    case 'platform_admin':
      return false
    case 'provider_admin':
      if (!isAtHome(actor, person)) return false
      return isRoleAtLeast(role, 'provider_admin') && accountSid === null && isSame(providerId, person.providerId)
    case 'tenant_admin':
      if (!isRoleAtLeast(role, 'tenant_admin') || !isAtHome(actor, person)) return false
      if (accountSid !== null) return accountSid === person.accountSid
      return isRoleAtLeast(role, 'provider_admin') && isSame(providerId, person.providerId)
    case 'end_user':
      return atHome.length > 0
  }
}

/** Whether the actor administers the person's home tenant. */
function isAtHome({ accountSid, providerId }: Manager, { home }: Person): boolean {
  if (home === null) return true
  return accountSid === null ? isSame(providerId, home.providerId) : accountSid === home.accountSid
}

function isSame(own: string | null, theirs: string | null): boolean {
  return own !== null && own === theirs
}

function administersWorkspace({ workspaces }: Manager, workspaceId: number): boolean {
  const reached = workspaces.get(workspaceId)
  return reached !== undefined && isLevelAtLeast(reached.level, 'admin')
}
