import type { Database } from '../packages/server/src/kernel/storage/database.ts'
import type { CallRow } from '../packages/server/src/tables/call-tables.ts'

/** Rows per statement, below the limit on bound values. */
const ROWS_PER_STATEMENT = 500
const ROWS_PER_COMMIT = 10_000

/** Defaults of a seeded call: an ended phone call of one minute in workspace 1. */
const DEFAULTS: Omit<CallRow, 'call_id'> = {
  workspace_id: 1,
  call_type: 'phone_call',
  status: 'ended',
  direction: 'inbound',
  agent_id: `agent_${'a'.repeat(26)}`,
  agent_version: 1,
  agent_name: 'Front desk',
  from_number: '+15550100001',
  to_number: '+15550199999',
  call_sid: null,
  customer_name: null,
  parent_call_id: null,
  created_at: 0,
  expires_at: null,
  started_at: 1_000,
  ended_at: 61_000,
  archived_at: null,
  updated_at: 61_000,
  duration_ms: 60_000,
  disconnection_reason: 'user_hangup',
  opt_out_storage: 0,
  sentiment: null,
  successful: null,
  summary: null,
  recording_url: null,
  cost_voice: null,
  cost_llm: null,
  cost_gross: null,
  cost_total: null,
  cost_breakdown: '[]',
  agent_path: '[]',
  metadata: '{}',
  custom_attributes: '{}',
  given_variables: '{}',
  collected_variables: '{}',
  override_variables: '{}',
  engine_id: null,
  engine_version: null,
  node_id: null,
  token_hash: null,
  token_used_at: null,
  storage: null,
  stored_as: null,
  due_at: null,
  custom_data: '{}',
  latency: '{}',
  recording: null,
  transcript: '',
}

/** Fields of a seeded call. Omitted fields have defaults. */
export type SeededCall = Pick<CallRow, 'call_id'> & Partial<CallRow>

/** Inserts calls into the database in bulk, in the given order. */
export async function seedCalls(database: Database, calls: readonly SeededCall[]): Promise<void> {
  for (let start = 0; start < calls.length; start += ROWS_PER_COMMIT) {
    const statements = []
    const end = Math.min(start + ROWS_PER_COMMIT, calls.length)
    for (let batchStart = start; batchStart < end; batchStart += ROWS_PER_STATEMENT) {
      const rows = calls
        .slice(batchStart, Math.min(batchStart + ROWS_PER_STATEMENT, end))
        .map((call) => ({ ...DEFAULTS, ...call }))
      statements.push({ query: database.queryBuilder.insertInto('calls').values(rows).compile() })
    }
    await database.batch(statements)
  }
}
