/** Who may do what, as one table: the server decides by it, the OpenAPI document and the guides print it. */

/** What a token was allowed to do when it was made. */
export const SCOPES = ['read', 'write', 'calls', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Kinds of actor, lowest first. */
export const ACTOR_ROLES = ['end_user', 'tenant_admin', 'provider_admin', 'platform_admin'] as const
export type ActorRole = (typeof ACTOR_ROLES)[number]

/** What a member is in a workspace, lowest first. */
export const MEMBER_ROLES = ['viewer', 'editor', 'admin'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** How far an actor's rights go in one workspace, lowest first; `account` is that of who administers its tenant. */
export const WORKSPACE_LEVELS = [...MEMBER_ROLES, 'account'] as const
export type WorkspaceLevel = (typeof WORKSPACE_LEVELS)[number]

/** What somebody needs for an operation: all three. */
export interface Requirement {
  readonly scope: Scope
  /** In the workspace that the operation is about. */
  readonly level: WorkspaceLevel
  /** Of the actor, whatever the workspace. */
  readonly role: ActorRole
}

/** The rights table. */
export const RIGHTS = {
  /** Look at resources, conversations and figures; search voices and knowledge. */
  read: { scope: 'read', level: 'viewer', role: 'end_user' },
  /** Create, change, publish and delete what agents are made of; delete chats. */
  write: { scope: 'write', level: 'editor', role: 'end_user' },
  /** Hold conversations and change them. */
  calls: { scope: 'calls', level: 'editor', role: 'end_user' },
  /** One's own API tokens. */
  'own-tokens': { scope: 'admin', level: 'viewer', role: 'end_user' },
  /** Members, other people's tokens, secrets, provider keys, the audit log; delete calls. */
  admin: { scope: 'admin', level: 'admin', role: 'end_user' },
  /** Workspaces, branding and concurrency of one's own tenants. */
  account: { scope: 'admin', level: 'account', role: 'tenant_admin' },
  /** Tenants of one's own providers. */
  tenants: { scope: 'admin', level: 'account', role: 'provider_admin' },
  providers: { scope: 'admin', level: 'account', role: 'platform_admin' },
} as const satisfies Readonly<Record<string, Requirement>>

export type Right = keyof typeof RIGHTS

/** What an operation asks for: a right, only a login of the dashboard (`session`), or nothing (`public`). */
export type Access = Right | 'session' | 'public'

const isAtLeast =
  <Word extends string>(words: readonly Word[]) =>
  (given: Word, needed: Word): boolean =>
    words.indexOf(given) >= words.indexOf(needed)

export const isLevelAtLeast = isAtLeast<WorkspaceLevel>(WORKSPACE_LEVELS)
export const isRoleAtLeast = isAtLeast<ActorRole>(ACTOR_ROLES)

/** Names of the context headers, in lower case as servers see them. */
export const CONTEXT_HEADERS = {
  actorType: 'x-actor-type',
  providerId: 'x-provider-id',
  tenantId: 'x-tenant-id',
  workspaceId: 'x-workspace-id',
} as const
