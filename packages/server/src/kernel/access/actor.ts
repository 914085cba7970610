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

/** A workspace within an actor's reach. */
export interface ReachedWorkspace {
  readonly level: WorkspaceLevel
  readonly accountSid: string
}

/** The caller and its limits, resolved once per request after its context headers. */
export interface Actor {
  readonly userId: string
  /** Id of the API token or dashboard session. */
  readonly credentialId: string
  readonly isSession: boolean
  /** Expiry of that credential. */
  readonly expiresAt: number | null
  readonly role: ActorRole
  readonly scopes: ReadonlySet<Scope>
  /** The provider it acts in: a limit, not a right. Also set for an end_user or platform_admin that named one. */
  readonly providerId: string | null
  /** The tenant it acts in, likewise; null for an administrator of several that named none. */
  readonly accountSid: string | null
  /** Existing workspaces within reach, by id. */
  readonly workspaces: ReadonlyMap<number, ReachedWorkspace>
}

/** Whether the actor may do this in the workspace. Missing and foreign workspaces give the same answer. */
export function hasWorkspaceLevel(actor: Actor, right: Right, workspaceId: number): boolean {
  const reached = actor.workspaces.get(workspaceId)
  return reached !== undefined && hasScopeAndRole(actor, right) && isLevelAtLeast(reached.level, RIGHTS[right].level)
}

/** Returns the row when the actor may do this to it. Reports rows of unreachable workspaces as missing. */
export function checkReach<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  { what, id, row }: { readonly what: string; readonly id: string; readonly row: Row | null },
): Row {
  if (row === null || !actor.workspaces.has(row.workspace_id)) throw notFound(what, id)
  if (hasWorkspaceLevel(actor, right, row.workspace_id)) return row
  throw new AppError('forbidden', `This needs a higher role in the workspace of the ${what}.`)
}

/** Workspaces where the actor may do this, for operations that name none. */
export function workspacesFor(actor: Actor, right: Right): readonly number[] {
  if (!hasScopeAndRole(actor, right)) return []
  const { level } = RIGHTS[right]
  return [...actor.workspaces].filter(([, reached]) => isLevelAtLeast(reached.level, level)).map(([id]) => id)
}

/** Whether the token and role allow this in any workspace. */
export function hasScopeAndRole(actor: Pick<Actor, 'scopes' | 'role'>, right: Right): boolean {
  const { scope, role } = RIGHTS[right]
  return actor.scopes.has(scope) && isRoleAtLeast(actor.role, role)
}

/** Rights of an actor at one time, in storable form. */
export interface ActorRights {
  readonly role: ActorRole
  readonly scopes: readonly Scope[]
  readonly workspaces: readonly (readonly [workspaceId: number, level: WorkspaceLevel])[]
}

export function rightsOf({ role, scopes, workspaces }: Actor): ActorRights {
  return { role, scopes: [...scopes], workspaces: Array.from(workspaces, ([id, { level }]) => [id, level] as const) }
}

/** Whether the actor can do everything these rights allow. */
export function coversRights(actor: Actor, rights: ActorRights): boolean {
  return (
    isRoleAtLeast(actor.role, rights.role) &&
    rights.scopes.every((scope) => actor.scopes.has(scope)) &&
    rights.workspaces.every(([id, level]) => {
      const reached = actor.workspaces.get(id)
      return reached !== undefined && isLevelAtLeast(reached.level, level)
    })
  )
}

/** Limits of a credential; null means everything its owner has. */
export interface CredentialLimits {
  readonly scopes: readonly Scope[] | null
  readonly workspaceIds: readonly number[] | null
}

/** Applies the limits to the owner. A credential limited to workspaces acts as an end user in them. */
export function limitActor(owner: Actor, { scopes, workspaceIds }: CredentialLimits): Actor {
  const actor = scopes === null ? owner : { ...owner, scopes: new Set(scopes) }
  if (workspaceIds === null) return actor
  const workspaces = new Map<number, ReachedWorkspace>()
  for (const id of workspaceIds) {
    const one = owner.workspaces.get(id)
    if (one !== undefined) workspaces.set(id, one.level === 'account' ? { ...one, level: 'admin' } : one)
  }
  return { ...actor, role: 'end_user', providerId: null, accountSid: null, workspaces }
}
