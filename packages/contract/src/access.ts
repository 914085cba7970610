/** The rights table, which the server enforces and the OpenAPI document and the guides print. */

/** Scopes of a token, set when it is created. */
export const SCOPES = ['read', 'write', 'calls', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Actor types, lowest first. */
export const ACTOR_ROLES = ['end_user', 'tenant_admin', 'provider_admin', 'platform_admin'] as const
export type ActorRole = (typeof ACTOR_ROLES)[number]

/** Member roles in a workspace, lowest first. */
export const MEMBER_ROLES = ['viewer', 'editor', 'admin'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** Levels of access to a workspace, lowest first. Administrators of the tenant have the level `account`. */
export const WORKSPACE_LEVELS = [...MEMBER_ROLES, 'account'] as const
export type WorkspaceLevel = (typeof WORKSPACE_LEVELS)[number]

/** Rights that an operation requires. */
export interface Requirement {
  readonly scope: Scope
  /** Minimum level in the operation's workspace. */
  readonly level: WorkspaceLevel
  /** Minimum role of the actor in any workspace. */
  readonly role: ActorRole
}

export const RIGHTS = {
  /** View resources, conversations and metrics; search voices and knowledge bases. */
  read: { scope: 'read', level: 'viewer', role: 'end_user' },
  /** Create, update, publish and delete the resources of agents; delete chats. */
  write: { scope: 'write', level: 'editor', role: 'end_user' },
  /** Start and update conversations. */
  calls: { scope: 'calls', level: 'editor', role: 'end_user' },
  /** Manage your own API tokens. */
  'own-tokens': { scope: 'admin', level: 'viewer', role: 'end_user' },
  /** Manage members, other people's tokens, secrets, provider keys and the audit log; delete calls. */
  admin: { scope: 'admin', level: 'admin', role: 'end_user' },
  /** Manage the workspaces, branding and concurrency limits of your own tenants. */
  account: { scope: 'admin', level: 'account', role: 'tenant_admin' },
  /** Manage the tenants of your own providers. */
  tenants: { scope: 'admin', level: 'account', role: 'provider_admin' },
  providers: { scope: 'admin', level: 'account', role: 'platform_admin' },
} as const satisfies Readonly<Record<string, Requirement>>

export type Right = keyof typeof RIGHTS

/** Access to an operation: a right, a dashboard session only (`session`), or no credential (`public`). */
export type Access = Right | 'session' | 'public'

const isAtLeast =
  <Value extends string>(orderedValues: readonly Value[]) =>
  (value: Value, minimum: Value): boolean =>
    orderedValues.indexOf(value) >= orderedValues.indexOf(minimum)

export const isLevelAtLeast = isAtLeast<WorkspaceLevel>(WORKSPACE_LEVELS)
export const isRoleAtLeast = isAtLeast<ActorRole>(ACTOR_ROLES)

/** Context header names, in lower case as servers receive them. */
export const CONTEXT_HEADERS = {
  actorType: 'x-actor-type',
  providerId: 'x-provider-id',
  tenantId: 'x-tenant-id',
  workspaceId: 'x-workspace-id',
} as const
