import {
  type ActorRole,
  isLevelAtLeast,
  isRoleAtLeast,
  RIGHTS,
  type Right,
  type Scope,
  type WorkspaceLevel,
} from '@parley/contract/access'
import { AppError, notFound } from '../errors.ts'

/** A workspace that an actor can access. */
export interface WorkspaceAccess {
  readonly level: WorkspaceLevel
  readonly accountSid: string
}

/** The caller and its permissions, resolved once per request from the credential and the context headers. */
export interface Actor {
  readonly userId: string
  /** Id of the API token or dashboard session. */
  readonly credentialId: string
  readonly isSession: boolean
  /** Expiry of the credential in milliseconds since the epoch; null if it never expires. */
  readonly expiresAt: number | null
  readonly role: ActorRole
  readonly scopes: ReadonlySet<Scope>
  /**
   * Provider that the actor is restricted to. Does not grant access. Also set if an end_user or platform_admin names one.
   */
  readonly providerId: string | null
  /** Tenant that the actor is restricted to. Null for administrators of several tenants unless they name one. */
  readonly accountSid: string | null
  /** Existing workspaces that the actor can access, by id. */
  readonly workspaces: ReadonlyMap<number, WorkspaceAccess>
}

/**
 * Whether the actor has the right in the workspace. Returns false for both missing and inaccessible workspaces.
 */
export function hasWorkspaceLevel(actor: Actor, right: Right, workspaceId: number): boolean {
  const workspaceAccess = actor.workspaces.get(workspaceId)
  return (
    workspaceAccess !== undefined &&
    hasScopeAndRole(actor, right) &&
    isLevelAtLeast(workspaceAccess.level, RIGHTS[right].level)
  )
}

/**
 * Returns the row if the actor has the right in the row's workspace. Reports rows of inaccessible workspaces as
 * missing.
 */
export function requireRowAccess<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  { resourceName, id, row }: { readonly resourceName: string; readonly id: string; readonly row: Row | null },
): Row {
  if (row === null || !actor.workspaces.has(row.workspace_id)) throw notFound(resourceName, id)
  if (hasWorkspaceLevel(actor, right, row.workspace_id)) return row
  throw new AppError('forbidden', `This operation requires a higher role in the workspace of the ${resourceName}.`)
}

/** Returns the workspaces where the actor has the right, for operations without a workspace parameter. */
export function listPermittedWorkspaces(actor: Actor, right: Right): readonly number[] {
  if (!hasScopeAndRole(actor, right)) return []
  const { level } = RIGHTS[right]
  return [...actor.workspaces]
    .filter(([, workspaceAccess]) => isLevelAtLeast(workspaceAccess.level, level))
    .map(([id]) => id)
}

/** Whether the actor's scopes and role include the right, in any workspace. */
export function hasScopeAndRole(actor: Pick<Actor, 'scopes' | 'role'>, right: Right): boolean {
  const { scope, role } = RIGHTS[right]
  return actor.scopes.has(scope) && isRoleAtLeast(actor.role, role)
}

/** An actor's rights at one point in time, in a form that can be stored. */
export interface ActorRights {
  readonly role: ActorRole
  readonly scopes: readonly Scope[]
  readonly workspaces: readonly (readonly [workspaceId: number, level: WorkspaceLevel])[]
}

export function toActorRights({ role, scopes, workspaces }: Actor): ActorRights {
  return { role, scopes: [...scopes], workspaces: Array.from(workspaces, ([id, { level }]) => [id, level] as const) }
}

/** Whether the actor can do everything these rights allow. */
export function coversRights(actor: Actor, rights: ActorRights): boolean {
  return (
    isRoleAtLeast(actor.role, rights.role) &&
    rights.scopes.every((scope) => actor.scopes.has(scope)) &&
    rights.workspaces.every(([id, level]) => {
      const workspaceAccess = actor.workspaces.get(id)
      return workspaceAccess !== undefined && isLevelAtLeast(workspaceAccess.level, level)
    })
  )
}

/** Limits of a credential. A null limit allows everything that the owner can do. */
export interface CredentialLimits {
  readonly scopes: readonly Scope[] | null
  readonly workspaceIds: readonly number[] | null
}

/**
 * Applies the credential's limits to the owner. A credential limited to certain workspaces acts as an end user in them.
 */
export function limitActor(owner: Actor, { scopes, workspaceIds }: CredentialLimits): Actor {
  const actor = scopes === null ? owner : { ...owner, scopes: new Set(scopes) }
  if (workspaceIds === null) return actor
  const workspaces = new Map<number, WorkspaceAccess>()
  for (const id of workspaceIds) {
    const workspaceAccess = owner.workspaces.get(id)
    if (workspaceAccess !== undefined)
      workspaces.set(id, workspaceAccess.level === 'account' ? { ...workspaceAccess, level: 'admin' } : workspaceAccess)
  }
  return { ...actor, role: 'end_user', providerId: null, accountSid: null, workspaces }
}
