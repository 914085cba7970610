import type { Generated } from 'kysely'
import type { Flag, Json, Milliseconds } from './columns.ts'

/** A reseller. Its tenants see its brand, use its provider keys and pay its markup. */
export interface ProviderRow {
  provider_id: string
  /** First part of the account paths. */
  slug: string
  name: string
  /** Percentage added to the cost of conversations. */
  markup_percent: number
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface TenantRow {
  account_sid: string
  provider_id: string
  /** `/provider/tenant` */
  account_path: string
  name: string
  created_at: Milliseconds
}

export interface WorkspaceRow {
  workspace_id: number
  account_sid: string
  name: string
  native_transfer_enabled: Flag
  concurrency_base: number
  concurrency_purchased: number
  concurrency_purchase_limit: number
  created_at: Milliseconds
}

export interface UserRow {
  user_id: string
  /** Address in lower case. */
  email: string
  name: string
  /** Empty until the user chooses a password. An empty hash never matches. */
  password_hash: string
  /** platform_admin, provider_admin, tenant_admin or end_user */
  role: string
  /** Set for a provider_admin. */
  provider_id: string | null
  /** Set for a tenant_admin. */
  account_sid: string | null
  /** The tenant that first invited the user; null for users of the platform and of providers. */
  home_account_sid: string | null
  /** Time when the user accepted the role. Earlier API tokens act as an end user. */
  role_since: Generated<Milliseconds>
  created_at: Milliseconds
}

export interface MemberRow {
  workspace_id: number
  user_id: string
  /** viewer, editor or admin */
  role: string
  /** Time of acceptance. API tokens created earlier cannot access the workspace. */
  accepted_at: Generated<Milliseconds>
  created_at: Milliseconds
}

/** An invitation as a member or administrator. It grants no rights until it is accepted, which deletes the row. */
export interface InvitationRow {
  invitation_id: string
  /** SHA-256 of the link's token, hex; null without a link. */
  token_hash: string | null
  /** Address in lower case. */
  email: string
  name: string
  /** Identifies the invitation in lists, and later the new user. */
  user_id: string
  /** Exactly one of the three is set. */
  workspace_id: number | null
  account_sid: string | null
  provider_id: string | null
  /** Role of the member, or tenant_admin or provider_admin. */
  role: string
  /** Time when the link expires. */
  expires_at: Milliseconds
  created_at: Milliseconds
}

/** A dashboard session. */
export interface SessionRow {
  session_id: string
  /** SHA-256 of the cookie's value, hex. */
  token_hash: string
  user_id: string
  /** The shortened User-Agent, so that the user recognizes the session. */
  user_agent: string
  expires_at: Milliseconds
  last_used_at: Milliseconds
  /** Time when the user last entered the password. */
  confirmed_at: Milliseconds
  created_at: Milliseconds
}

/** A one-time link for choosing a password. */
export interface PasswordLinkRow {
  link_id: string
  /** SHA-256 of the link's token, hex. */
  token_hash: string
  user_id: string
  /** JSON array of the workspaces that the user keeps when the link is used. */
  workspace_ids: Generated<Json>
  expires_at: Milliseconds
  created_at: Milliseconds
}

export interface ApiTokenRow {
  token_id: string
  /** SHA-256 of the token, hex. */
  token_hash: string
  user_id: string
  name: string
  scopes: Json
  /** JSON array of workspace ids; null means all workspaces that the owner can access. */
  workspace_ids: Json | null
  expires_at: Milliseconds | null
  last_used_at: Milliseconds | null
  revoked_at: Milliseconds | null
  created_at: Milliseconds
}

export interface SigningSecretRow {
  secret_id: string
  workspace_id: number
  ciphertext: string
  created_at: Milliseconds
  /** Set by rotation. Until this time, the secret still signs, along with the new secret. */
  expires_at: Milliseconds | null
}

/** A named secret for the tools of a workspace. */
export interface WorkspaceSecretRow {
  workspace_id: number
  name: string
  ciphertext: string
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** Branding of the product by a provider or tenant for its customers. */
export interface BrandingRow {
  /** A provider id or an account sid. */
  owner_id: string
  /** The host name in lower case, active once verified. Several owners can claim the same host name. */
  domain: string | null
  /** record, operator or earlier; null while the domain is not verified. A domain is verified for at most one owner. */
  domain_proof: string | null
  settings: Json
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** An encrypted key of a model, voice or carrier service. The owner is a workspace, tenant or provider. */
export interface ProviderKeyRow {
  provider_key_id: string
  /** openai, anthropic, elevenlabs or cartesia */
  service: string
  /** Exactly one of the three is set. */
  workspace_id: number | null
  account_sid: string | null
  provider_id: string | null
  ciphertext: string
  last_four: string
  base_url: string | null
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** A record of who did what, without contents. */
export interface AuditEntryRow {
  audit_id: string
  at: Milliseconds
  user_id: string
  /** Id of the acting token or session. */
  credential_id: string
  actor_role: string
  operation: string
  /** JSON of the ids in the path. */
  target: Json
  workspace_id: number | null
  account_sid: string | null
  provider_id: string | null
  /** JSON of the context headers; null if there are none. */
  context: Json | null
  status: number
  request_id: string
  ip: string
}

/** A counter that only increases, such as the last workspace id. */
export interface CounterRow {
  name: string
  value: number
}

export interface TenancyTables {
  providers: ProviderRow
  tenants: TenantRow
  workspaces: WorkspaceRow
  users: UserRow
  members: MemberRow
  invitations: InvitationRow
  sessions: SessionRow
  password_links: PasswordLinkRow
  api_tokens: ApiTokenRow
  signing_secrets: SigningSecretRow
  workspace_secrets: WorkspaceSecretRow
  brandings: BrandingRow
  provider_keys: ProviderKeyRow
  audit_entries: AuditEntryRow
  counters: CounterRow
}
