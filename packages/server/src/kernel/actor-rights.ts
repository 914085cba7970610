import type { ActorRole, Scope, WorkspaceLevel } from '@parley/contract/access'
import { isLevelAtLeast, isRoleAtLeast } from '@parley/contract/access'
import type { Actor } from './actor.ts'

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
