import type { Scope } from '@parley/contract/operation'

export type Role = 'platform_admin' | 'provider_admin' | 'tenant_admin' | 'end_user'

/** Who calls: resolved once per request from the token, handed to every service. */
export interface Actor {
  readonly tokenId: string
  readonly userId: string
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /** Existing workspaces that it reaches. */
  readonly workspaceIds: ReadonlySet<number>
}

/** Whether the actor reaches a workspace at all: for one that does not exist the answer is the same. */
export function reachesWorkspace(actor: Actor, workspaceId: number): boolean {
  return actor.workspaceIds.has(workspaceId)
}
