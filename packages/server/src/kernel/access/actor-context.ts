import { ACTOR_ROLES, type ActorRole, CONTEXT_HEADERS, isRoleAtLeast } from '@parley/contract/access'
import { AppError, invalidField } from '../errors.ts'
import type { Actor, WorkspaceAccess } from './actor.ts'

/** Context headers of a request. A missing header is null. */
export interface ContextClaims {
  readonly actorType: ActorRole | null
  readonly providerId: string | null
  readonly tenantId: string | null
  readonly workspaceId: number | null
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const INT32_MAX = 2_147_483_647
const MAX_CLAIM_LENGTH = 200

/** Reads the context headers. Returns null if there are none. Throws `invalid_request` for an invalid header. */
export function readClaims(headers: Headers): ContextClaims | null {
  const actorType = readClaim(headers, 'actorType')
  const providerId = readClaim(headers, 'providerId')
  const tenantId = readClaim(headers, 'tenantId')
  const workspaceId = readClaim(headers, 'workspaceId')
  if (actorType === null && providerId === null && tenantId === null && workspaceId === null) return null
  if (actorType !== null && !isActorRole(actorType)) {
    throw invalidField('X-Actor-Type', `must be one of ${ACTOR_ROLES.toReversed().join(', ')}`)
  }
  return { actorType, providerId, tenantId, workspaceId: workspaceId === null ? null : readWorkspaceId(workspaceId) }
}

function readClaim(headers: Headers, name: keyof typeof CONTEXT_HEADERS): string | null {
  const value = headers[CONTEXT_HEADERS[name]]
  if (value === undefined) return null
  if (typeof value === 'string' && value !== '' && value.length <= MAX_CLAIM_LENGTH) return value
  throw invalidField(CONTEXT_HEADERS[name], `must be one value of 1 to ${MAX_CLAIM_LENGTH} characters`)
}

function isActorRole(value: string): value is ActorRole {
  return (ACTOR_ROLES as readonly string[]).includes(value)
}

function readWorkspaceId(value: string): number {
  const id = /^\d{1,10}$/.test(value) ? Number(value) : 0
  if (id >= 1 && id <= INT32_MAX) return id
  throw invalidField('X-Workspace-Id', 'must be an integer >= 1')
}

/**
 * Narrows the actor to the context headers and never widens its access. Throws `forbidden`, `workspace_forbidden`, or
 * `invalid_request` for contradictory headers.
 */
export function narrowActor(actor: Actor, claims: ContextClaims, directory: TenantDirectory): Actor {
  const { tenantId, providerId } = claims
  checkRoleClaim(claims.actorType, actor.role)
  if (tenantId !== null && !canAccessTenant(actor, tenantId, directory)) {
    throw new AppError('forbidden', 'This token does not have access to the tenant in X-Tenant-Id.')
  }
  if (providerId !== null && !canAccessReseller(actor, providerId, directory)) {
    throw new AppError('forbidden', 'This token does not have access to the provider in X-Provider-Id.')
  }
  const tenantResellerId = tenantId === null ? null : (directory.tenants.get(tenantId) ?? null)
  if (providerId !== null && tenantId !== null && tenantResellerId !== providerId) {
    throw invalidField('X-Tenant-Id', 'must be a tenant of the provider in X-Provider-Id')
  }
  if (claims.workspaceId !== null) checkWorkspaceClaim(actor, claims.workspaceId, tenantId)
  const isContextAdmin = canAdministerContext(actor, claims, directory)
  const roleInContext = isContextAdmin ? actor.role : 'end_user'
  checkRoleClaim(claims.actorType, roleInContext)
  const role = claims.actorType ?? roleInContext
  return {
    ...actor,
    role,
    providerId: providerId ?? tenantResellerId ?? (isContextAdmin ? actor.providerId : null),
    accountSid: tenantId ?? (isContextAdmin ? actor.accountSid : null),
    workspaces: narrowWorkspaces(actor, { ...claims, role }, directory),
  }
}

function checkRoleClaim(claimedRole: ActorRole | null, role: ActorRole): void {
  if (claimedRole === null || isRoleAtLeast(role, claimedRole)) return
  throw new AppError(
    'forbidden',
    `This token does not have the role ${claimedRole}. Set X-Actor-Type to the role of the token or a lower role.`,
  )
}

/** Throws `invalid_request` if the tenant in the header does not own the workspace of the request. */
export function checkTenantOwnsWorkspace(actor: Actor, workspaceId: number, tenantId: string | null): void {
  if (tenantId !== null && actor.workspaces.get(workspaceId)?.accountSid !== tenantId) {
    throw invalidField('X-Tenant-Id', `must be the account that owns workspace ${workspaceId}`)
  }
}

function checkWorkspaceClaim(actor: Actor, workspaceId: number, tenantId: string | null): void {
  if (!actor.workspaces.has(workspaceId)) {
    throw new AppError('workspace_forbidden', `This token does not have access to workspace ${workspaceId}.`)
  }
  checkTenantOwnsWorkspace(actor, workspaceId, tenantId)
}

function canAccessTenant(actor: Actor, tenantId: string, directory: TenantDirectory): boolean {
  const providerId = directory.tenants.get(tenantId)
  if (providerId === undefined) return false
  if (actor.role === 'platform_admin') return true
  if (actor.role === 'provider_admin' && actor.providerId === providerId) return true
  return actor.accountSid === tenantId || hasMatchingWorkspace(actor, (accountSid) => accountSid === tenantId)
}

function canAccessReseller(actor: Actor, providerId: string, directory: TenantDirectory): boolean {
  if (!directory.resellers.has(providerId)) return false
  if (actor.role === 'platform_admin' || actor.providerId === providerId) return true
  const isResellerTenant = (accountSid: string): boolean => directory.tenants.get(accountSid) === providerId
  return (
    (actor.accountSid !== null && isResellerTenant(actor.accountSid)) || hasMatchingWorkspace(actor, isResellerTenant)
  )
}

/**
 * Whether the actor administers the tenant and provider in the headers. Sending a header must not turn a plain workspace
 * member into an administrator.
 */
function canAdministerContext(
  actor: Actor,
  { tenantId, providerId }: ContextClaims,
  directory: TenantDirectory,
): boolean {
  if (actor.role === 'platform_admin' || actor.role === 'end_user') return true
  if (providerId !== null && providerId !== actor.providerId) return false
  if (tenantId === null) return true
  if (actor.role === 'tenant_admin') return tenantId === actor.accountSid
  return directory.tenants.get(tenantId) === actor.providerId
}

function hasMatchingWorkspace(actor: Actor, isMatch: (accountSid: string) => boolean): boolean {
  return actor.workspaces.values().some(({ accountSid }) => isMatch(accountSid))
}

function narrowWorkspaces(
  actor: Actor,
  { role, providerId, tenantId, workspaceId }: ContextClaims & { readonly role: ActorRole },
  directory: TenantDirectory,
): ReadonlyMap<number, WorkspaceAccess> {
  const narrowedWorkspaces = new Map<number, WorkspaceAccess>()
  for (const [id, workspaceAccess] of actor.workspaces) {
    const { accountSid, level } = workspaceAccess
    if (workspaceId !== null && id !== workspaceId) continue
    if (tenantId !== null && accountSid !== tenantId) continue
    if (providerId !== null && directory.tenants.get(accountSid) !== providerId) continue
    // A tenant administrator acting as an end user is an admin of all the tenant's workspaces.
    narrowedWorkspaces.set(
      id,
      role === 'end_user' && level === 'account' ? { accountSid, level: 'admin' } : workspaceAccess,
    )
  }
  return narrowedWorkspaces
}

/** All providers, tenants and workspaces with their owners, kept in memory because many requests read them. */
export interface TenantDirectory {
  readonly resellers: ReadonlySet<string>
  /** Provider id by account sid. */
  readonly tenants: ReadonlyMap<string, string>
  /** Account sid by workspace id. */
  readonly workspaces: ReadonlyMap<number, string>
}

/** Reason why a connection lost access: the credential became invalid, or it no longer permits the connection. */
export type AccessLoss = 'unauthorized' | 'forbidden'

/** A connection that outlives one request. */
export interface WatchedConnection {
  /** API token or session that opened the connection. */
  readonly credentialId: string
  /** Whether the actor may keep the connection open. */
  isAllowed(actor: Actor): boolean | Promise<boolean>
  /** Called once when the connection loses access. */
  onLost(loss: AccessLoss): void
}

/**
 * Closes connections that lose access, immediately if a node announces the change and otherwise within 5 seconds on every
 * node.
 */
export interface AccessWatch {
  /**
   * Reads the actor of a credential from the database. Returns null if the credential is revoked, expired or unknown.
   */
  readActor(credentialId: string): Promise<Actor | null>
  /** Watches a connection until it loses access. Returns a function that stops watching. */
  watch(connection: WatchedConnection): () => void
}
