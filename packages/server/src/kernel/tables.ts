/**
 * Row types of every table: the portable subset. Ids are text, times integer milliseconds, booleans 0 or 1, JSON is text.
 * Rows are converted to contract objects in `*-store.ts` only.
 */

type Json = string
type Milliseconds = number
type Flag = 0 | 1

export interface TenantRow {
  account_sid: string
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
  email: string
  password_hash: string
  /** platform_admin, provider_admin, tenant_admin or end_user */
  role: string
  created_at: Milliseconds
}

export interface ApiTokenRow {
  token_id: string
  /** SHA-256 of the token, hex. */
  token_hash: string
  user_id: string
  name: string
  scopes: Json
  /** JSON array of workspace ids; null = all that the owner reaches. */
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
  /** Set by rotation: until then it still signs beside the new one. */
  expires_at: Milliseconds | null
}

/** One row per versioned resource, whatever its kind; its definition stands in its versions. */
export interface ResourceRow {
  resource_id: string
  /** llm or agent; later kinds join without a new table. */
  kind: string
  workspace_id: number
  newest_version: number
  /** Set by activate; null = the highest published version, else the newest. */
  active_version: number | null
  /** Counts edits: the ETag. */
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ResourceVersionRow {
  resource_id: string
  version: number
  /** The contract object without what is derived. */
  definition: Json
  /** Of agents: the response engine, for look-ups. */
  engine_id: string | null
  /** The engine version that a caller pinned, or that this version resolved to when it was frozen. */
  engine_version: number | null
  /** 1 when a caller set response_engine.version. */
  engine_pinned: Flag
  frozen_at: Milliseconds | null
  published_at: Milliseconds | null
  version_title: string | null
  version_description: string | null
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ChatRow {
  chat_id: string
  workspace_id: number
  agent_id: string
  agent_version: number
  agent_name: string | null
  engine_kind: string
  engine_id: string | null
  engine_version: number | null
  /** web_chat, sms_chat or api_chat */
  type: string
  /** ongoing, completed or error */
  status: string
  metadata: Json
  custom_attributes: Json
  given_variables: Json
  collected_variables: Json
  override_variables: Json
  /** The engine's state value; null before the first turn. */
  state: Json | null
  message_count: number
  turn_count: number
  started_at: Milliseconds
  ended_at: Milliseconds | null
  updated_at: Milliseconds
}

export interface MessageRow {
  message_id: string
  chat_id: string
  /** Position in the chat, from 0. */
  position: number
  turn_id: string | null
  role: string
  content: string
  name: string
  tool_calls: Json
  tool_call_id: string | null
  incomplete: Flag
  created_at: Milliseconds
}

export interface TurnRow {
  turn_id: string
  chat_id: string
  /** Position in the chat, from 0. */
  position: number
  /** running, completed, failed, cancelled or interrupted (the process died) */
  status: string
  user_message_id: string
  /** SHA-256 of actor and Idempotency-Key of the request that began the turn; a retry of a failed turn has the same. */
  idempotency_hash: string | null
  /** Error code and sentence when failed. */
  error_code: string | null
  error_message: string | null
  /** JSON array of {model, inputTokens, outputTokens, cachedInputTokens, cost}. */
  usage: Json
  /** JSON array of what was decided and why. */
  explanation: Json
  first_text_ms: number | null
  event_count: number
  started_at: Milliseconds
  ended_at: Milliseconds | null
}

export interface JobRow {
  job_id: string
  kind: string
  payload: Json
  /** pending, running, done or failed */
  status: string
  run_at: Milliseconds
  attempts: number
  max_attempts: number
  /** Owner and end of the lease while running. */
  leased_by: string | null
  lease_until: Milliseconds | null
  last_error: string | null
  created_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A slot of a workspace's concurrency held by a live call. */
export interface LeaseRow {
  lease_id: string
  workspace_id: number
  holder: string
  expires_at: Milliseconds
  created_at: Milliseconds
}

export interface IdempotencyKeyRow {
  /** SHA-256 of actor, method, path and key. */
  key_hash: string
  body_hash: string
  /** Null while in flight. */
  status: number | null
  /** Encrypted headers and body of the answer. */
  answer: string | null
  /** In flight until then; afterwards a crash is assumed and the key may be taken over. */
  lease_until: Milliseconds
  created_at: Milliseconds
}

export interface Tables {
  tenants: TenantRow
  workspaces: WorkspaceRow
  users: UserRow
  api_tokens: ApiTokenRow
  signing_secrets: SigningSecretRow
  resources: ResourceRow
  resource_versions: ResourceVersionRow
  chats: ChatRow
  messages: MessageRow
  turns: TurnRow
  jobs: JobRow
  leases: LeaseRow
  idempotency_keys: IdempotencyKeyRow
}
