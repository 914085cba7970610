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

/** A workspace as an actor reaches it. */
export interface ReachedWorkspace {
  readonly level: WorkspaceLevel
  /** Its tenant. */
  readonly accountSid: string
}

/** Who calls and within which bounds: resolved once per request, handed to every service. Context headers have narrowed it. */
export interface Actor {
  readonly userId: string
  /** Id of the API token, or of the session of a dashboard login. */
  readonly credentialId: string
  readonly isSession: boolean
  /** When that credential ends. */
  readonly expiresAt: number | null
  readonly role: ActorRole
  readonly scopes: ReadonlySet<Scope>
  /** The provider it acts in, a bound and not a right: an end_user has one when a header named it, a platform_admin too. */
  readonly providerId: string | null
  /** The tenant it acts in, likewise; null of whoever administers several and named none. */
  readonly accountSid: string | null
  /** Existing workspaces that it reaches, by id. */
  readonly workspaces: ReadonlyMap<number, ReachedWorkspace>
}

/** Whether it may do this in the workspace. For one that does not exist the answer is the same as for a foreign one. */
export function hasWorkspaceLevel(actor: Actor, right: Right, workspaceId: number): boolean {
  const reached = actor.workspaces.get(workspaceId)
  return reached !== undefined && hasScopeAndRole(actor, right) && isLevelAtLeast(reached.level, RIGHTS[right].level)
}

/** What is named, for somebody who may do this to it. Whoever does not reach its workspace learns nothing, not even that it exists. */
export function checkReach<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  { what, id, row }: { readonly what: string; readonly id: string; readonly row: Row | null },
): Row {
  if (row === null || !actor.workspaces.has(row.workspace_id)) throw notFound(what, id)
  if (hasWorkspaceLevel(actor, right, row.workspace_id)) return row
  throw new AppError('forbidden', `This needs a higher role in the workspace of the ${what}.`)
}

/** The workspaces where it may do this: what an operation that names none is about. */
export function workspacesFor(actor: Actor, right: Right): readonly number[] {
  if (!hasScopeAndRole(actor, right)) return []
  const { level } = RIGHTS[right]
  return [...actor.workspaces].filter(([, reached]) => isLevelAtLeast(reached.level, level)).map(([id]) => id)
}

/** Whether its token and its kind allow this at all, whatever the workspace. */
export function hasScopeAndRole(actor: Pick<Actor, 'scopes' | 'role'>, right: Right): boolean {
  const { scope, role } = RIGHTS[right]
  return actor.scopes.has(scope) && isRoleAtLeast(actor.role, role)
}

/** What an actor could do at one moment, in a form that can be stored. */
export interface ActorRights {
  readonly role: ActorRole
  readonly scopes: readonly Scope[]
  readonly workspaces: readonly (readonly [workspaceId: number, level: WorkspaceLevel])[]
}

export function rightsOf({ role, scopes, workspaces }: Actor): ActorRights {
  return { role, scopes: [...scopes], workspaces: Array.from(workspaces, ([id, { level }]) => [id, level] as const) }
}

/** Whether the actor can do everything that these rights allow. */
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

/** Limits of a credential; null stands for all that its owner has. */
export interface CredentialLimits {
  readonly scopes: readonly Scope[] | null
  readonly workspaceIds: readonly number[] | null
}

/** The owner within the limits. A credential limited to workspaces acts as an end user in them, so that it never reaches beyond. */
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
