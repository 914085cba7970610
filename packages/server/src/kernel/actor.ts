import type { Scope } from '@parley/contract/operation'

export type Role = 'platform_admin' | 'provider_admin' | 'tenant_admin' | 'end_user'

/** Who calls: resolved once per request from the token, handed to every service. */
export interface Actor {
  readonly tokenId: string
  readonly userId: string
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /** Workspaces it reaches; `all` for an unrestricted platform administrator. */
  readonly workspaceIds: ReadonlySet<number> | 'all'
}

/** Whether the actor reaches a workspace at all. Existence is not looked up: both answers are the same to a caller. */
export function reachesWorkspace(actor: Actor, workspaceId: number): boolean {
  return actor.workspaceIds === 'all' || actor.workspaceIds.has(workspaceId)
}
