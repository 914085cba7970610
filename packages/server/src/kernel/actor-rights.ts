import type { ActorRole, Scope, WorkspaceLevel } from '@parley/contract/access'
import { isLevelAtLeast, isRoleAtLeast } from '@parley/contract/access'
import type { Actor, ReachedWorkspace } from './actor.ts'

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
