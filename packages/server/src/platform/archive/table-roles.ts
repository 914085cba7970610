import type { Tables } from '../../tables/tables.ts'

/**
 * `data` is moved and backed up. `derived` is kept by triggers of the tables it is derived from, in each database in its own
 * form. `runtime` tells of processes that run, so that a stopped installation has none of it.
 */
export type TableRole = 'data' | 'derived' | 'runtime'

/** Every table that the code knows. A new one does not compile before it is decided what becomes of it here. */
const TABLE_ROLES: Readonly<Record<keyof Tables, TableRole>> = {
  installation: 'data',
  providers: 'data',
  tenants: 'data',
  workspaces: 'data',
  users: 'data',
  members: 'data',
  invitations: 'data',
  sessions: 'data',
  password_links: 'data',
  api_tokens: 'data',
  signing_secrets: 'data',
  workspace_secrets: 'data',
  brandings: 'data',
  provider_keys: 'data',
  audit_entries: 'data',
  counters: 'data',
  resources: 'data',
  resource_versions: 'data',
  flow_components: 'data',
  flow_version_components: 'data',
  phone_numbers: 'data',
  number_agents: 'data',
  number_counter: 'data',
  voices: 'data',
  test_cases: 'data',
  chats: 'data',
  messages: 'data',
  turns: 'data',
  calls: 'data',
  call_counts: 'derived',
  call_count_sums: 'derived',
  call_count_changes: 'derived',
  webhooks: 'data',
  webhook_events: 'data',
  webhook_deliveries: 'data',
  webhook_attempts: 'data',
  call_events: 'data',
  knowledge_bases: 'data',
  knowledge_sources: 'data',
  knowledge_originals: 'data',
  knowledge_chunks: 'data',
  knowledge_index_parts: 'data',
  knowledge_vectors: 'data',
  jobs: 'data',
  idempotency_keys: 'data',
  nodes: 'runtime',
  leases: 'runtime',
  waiting_turns: 'runtime',
  turn_events: 'runtime',
}

/** What the table is to a copy; null when the code does not know it, so that it belongs to its database alone. */
export function roleOf(table: string): TableRole | null {
  return Object.hasOwn(TABLE_ROLES, table) ? TABLE_ROLES[table as keyof Tables] : null
}
