import type { Call } from '@parley/contract/call'
import type { VersionSelector } from '@parley/contract/fields'
import type { JsonObject } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { LeaseReservations } from '../../../kernel/work/nodes.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { type AgentPin, type AgentUse, checkModels, type UsableModels } from '../../agents/public.ts'
import type { CallEvents } from '../call-events.ts'
import type { StoredCall } from '../call-responses.ts'
import { insertCall } from './creating-store.ts'

/** So long a slot is kept for the caller. */
const RESERVATION_MS = 60_000
/** A slot that is free again shows soon. */
const RETRY_MS = 5_000

/** A call that is to be put on record. */
export interface NewCall extends Pick<Call, 'callType' | 'direction' | 'fromNumber' | 'toNumber'> {
  readonly callId: string
  readonly workspaceId: number
  readonly agentId: string
  readonly agentVersion: VersionSelector
  /** Id of the call at the carrier. */
  readonly callSid: string | null
  readonly metadata: JsonObject
  readonly customAttributes: JsonObject
  readonly variables: Readonly<Record<string, string>>
  readonly optOutSensitiveDataStorage: boolean
  readonly createdAtMs: number
  /** Until when it waits for its caller. */
  readonly expiresAtMs: number
  /** Digest of the token that lets its caller in; null where whoever has the leg starts the call. */
  readonly tokenHash: string | null
}

/** Puts calls of every type on record. */
export interface CallRecords {
  /**
   * Registers a call that waits for its caller, pins its agent and reserves its slot. Throws `concurrency_limit_reached` where
   * the workspace has no slot left, and what `AgentUse.pin` throws.
   */
  create(call: NewCall): Promise<StoredCall>
}

export interface CallRecordsDependencies {
  readonly database: Pick<Database, 'transaction'>
  readonly agents: Pick<AgentUse, 'pin' | 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly reservations: Pick<LeaseReservations, 'reserve'>
  readonly events: Pick<CallEvents, 'start'>
  /** A caller is about to come: what takes a while when it is first used can be loaded meanwhile. Returns at once. */
  readonly warmUp: () => void
}

export function createCallRecords(dependencies: CallRecordsDependencies): CallRecords {
  const { database, agents, models, reservations, events, warmUp } = dependencies

  async function pinAgent({ workspaceId, agentId, agentVersion: version, createdAtMs: now }: NewCall) {
    const request = { workspaceId, agentId, version, now }
    const pin = await database.transaction((transaction) => agents.pin(transaction, request))
    const [agent, usable] = await Promise.all([agents.load({ ...pin, workspaceId }), models.forWorkspace(workspaceId)])
    checkModels(agent, usable)
    return { pin, agent }
  }

  /** One commit, so that a call has its slot from its start. */
  async function store(row: CallRow, { agentId, agentVersion: version }: AgentPin): Promise<void> {
    const { workspace_id: workspaceId, call_id: leaseId, created_at: now } = row
    await database.transaction(
      async (transaction) => {
        const isReserved = await reservations.reserve(transaction, { workspaceId, leaseId, durationMs: RESERVATION_MS })
        if (!isReserved) {
          const message = 'As many calls are live or about to begin as the workspace may hold at once. Try again later.'
          throw new AppError('concurrency_limit_reached', message, { retryAfterMs: RETRY_MS })
        }
        // Once more: the agent may have been deleted since.
        await agents.pin(transaction, { workspaceId, agentId, version, now })
        await insertCall(transaction, row)
      },
      { isolation: 'read-committed' },
    )
  }

  return {
    async create(call) {
      const { pin, agent } = await pinAgent(call)
      const { storage } = events.start(agent.postProcessing, call.optOutSensitiveDataStorage)
      const row = { ...rowOf(call, pin), storage }
      await store(row, pin)
      warmUp()
      return { ...row, hidden: 0 }
    },
  }
}

function rowOf(call: NewCall, pin: AgentPin): CallRow {
  const { createdAtMs: now } = call
  const path = [{ agentId: pin.agentId, agentVersion: pin.agentVersion, at: new Date(now).toISOString() }]
  return {
    call_id: call.callId,
    workspace_id: call.workspaceId,
    call_type: call.callType,
    status: 'registered',
    direction: call.direction,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    call_sid: call.callSid,
    agent_id: pin.agentId,
    agent_version: pin.agentVersion,
    agent_name: pin.agentName,
    engine_id: pin.engineId,
    engine_version: pin.engineVersion,
    agent_path: JSON.stringify(path),
    created_at: now,
    updated_at: now,
    // Only what a token opens can be joined until then.
    expires_at: call.tokenHash === null ? null : call.expiresAtMs,
    due_at: call.expiresAtMs,
    token_hash: call.tokenHash,
    opt_out_storage: call.optOutSensitiveDataStorage ? 1 : 0,
    metadata: JSON.stringify(call.metadata),
    custom_attributes: JSON.stringify(call.customAttributes),
    given_variables: JSON.stringify(call.variables),
    ...INITIAL_COLUMNS,
  }
}

/** What a call has when nothing has happened in it. */
const INITIAL_COLUMNS = {
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
  storage: null,
  stored_as: null,
  custom_data: '{}',
  latency: '{}',
  recording: null,
  transcript: '',
} as const
