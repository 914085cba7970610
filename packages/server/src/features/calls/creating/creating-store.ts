import type { CreateWebCallBody } from '@parley/contract/web-call'
import type { Reader, Transaction } from '../../../kernel/database.ts'
import type { AgentPin } from '../../../kernel/pinned-agent.ts'
import type { CallRow } from '../../../kernel/tables/call-tables.ts'
import type { ResourceRow } from '../../../kernel/tables/resource-tables.ts'

/** Where an agent of either kind belongs; null when there is none of that id. */
export async function findAgent(
  reader: Reader,
  agentId: string,
): Promise<Pick<ResourceRow, 'workspace_id' | 'kind'> | null> {
  const row = await reader
    .selectFrom('resources')
    .select(['workspace_id', 'kind'])
    .where('resource_id', '=', agentId)
    .where('kind', 'in', ['agent', 'chat-agent'])
    .executeTakeFirst()
  return row ?? null
}

export async function insertCall(transaction: Transaction, row: CallRow): Promise<void> {
  await transaction.insertInto('calls').values(row).execute()
}

interface Facts {
  readonly callId: string
  readonly workspaceId: number
  readonly now: number
  readonly expiresAtMs: number
  readonly tokenHash: string
  readonly storage: string | null
}

/** The row of a call that waits for its caller. */
export function newWebCall(facts: Facts, pin: AgentPin, body: CreateWebCallBody): CallRow {
  const { now, expiresAtMs } = facts
  const path = [{ agentId: pin.agentId, agentVersion: pin.agentVersion, at: new Date(now).toISOString() }]
  return {
    call_id: facts.callId,
    workspace_id: facts.workspaceId,
    call_type: 'web_call',
    status: 'registered',
    direction: null,
    agent_id: pin.agentId,
    agent_version: pin.agentVersion,
    agent_name: pin.agentName,
    engine_id: pin.engineId,
    engine_version: pin.engineVersion,
    agent_path: JSON.stringify(path),
    created_at: now,
    updated_at: now,
    expires_at: expiresAtMs,
    due_at: expiresAtMs,
    token_hash: facts.tokenHash,
    storage: facts.storage,
    opt_out_storage: body.optOutSensitiveDataStorage ? 1 : 0,
    metadata: JSON.stringify(body.metadata),
    custom_attributes: JSON.stringify(body.customAttributes),
    given_variables: JSON.stringify({ ...body.serviceDynamicVariables, ...body.dynamicVariables }),
    ...NOTHING_YET,
  }
}

/** What a call has when nothing has happened in it. */
const NOTHING_YET = {
  from_number: null,
  to_number: null,
  call_sid: null,
  customer_name: null,
  parent_call_id: null,
  started_at: null,
  ended_at: null,
  archived_at: null,
  duration_ms: null,
  disconnection_reason: null,
  sentiment: null,
  successful: null,
  summary: null,
  recording_url: null,
  cost_voice: null,
  cost_llm: null,
  cost_gross: null,
  cost_total: null,
  cost_breakdown: '[]',
  collected_variables: '{}',
  override_variables: '{}',
  node_id: null,
  token_used_at: null,
  stored_as: null,
  custom_data: '{}',
  latency: '{}',
  recording: null,
  transcript: '',
} as const
