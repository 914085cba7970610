import type { Call } from '@parley/contract/call'
import type { VersionSelector } from '@parley/contract/fields'
import type { JsonObject } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { LeaseReservations } from '../../../kernel/work/nodes.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { ResourceRow } from '../../../tables/resource-tables.ts'
import {
  type AgentPin,
  type AgentResolver,
  checkModels,
  type PinnedAgent,
  type UsableModels,
} from '../../agents/public.ts'
import type { CallEvents } from '../call-events.ts'
import type { StoredCall } from '../call-responses.ts'

/** How long a slot stays reserved for the caller. */
const RESERVATION_MS = 60_000
/** Suggested retry delay when no slot is free. */
const RETRY_MS = 5_000

/** The data for a new call. */
interface NewCall extends Pick<Call, 'callType' | 'direction' | 'fromNumber' | 'toNumber'> {
  readonly callId: string
  readonly workspaceId: number
  readonly agentId: string
  readonly agentVersion: VersionSelector
  /** The carrier's call id. */
  readonly callSid: string | null
  readonly metadata: JsonObject
  readonly customAttributes: JsonObject
  readonly variables: Readonly<Record<string, string>>
  readonly optOutSensitiveDataStorage: boolean
  readonly createdAtMs: number
  /** Time at which the call stops waiting for its caller. */
  readonly expiresAtMs: number
  /** Digest of the join token, or null if the media leg starts the call without a token. */
  readonly tokenHash: string | null
}

/** Creates the records of calls of every type. */
export interface CallRecords {
  /**
   * Registers a call that waits for its caller, pins the agent and reserves a slot. Throws `concurrency_limit_reached`
   * if no slot is free, or an error of `AgentResolver.pin`.
   */
  create(call: NewCall): Promise<StoredCall>
}

interface CallRecordsDependencies {
  readonly database: Pick<Database, 'transaction'>
  readonly agents: Pick<AgentResolver, 'pin' | 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly reservations: Pick<LeaseReservations, 'reserve'>
  readonly events: Pick<CallEvents, 'getInitialColumns'>
  /** Preloads the data for the agent's first call. Returns immediately. */
  readonly warmUp: (workspaceId: number, agent: PinnedAgent) => void
}

export function createCallRecords(dependencies: CallRecordsDependencies): CallRecords {
  const { database, agents, models, reservations, events, warmUp } = dependencies

  async function pinAgent({ workspaceId, agentId, agentVersion: version, createdAtMs: now }: NewCall) {
    const request = { workspaceId, agentId, version, now }
    const pin = await database.transaction((transaction) => agents.pin(transaction, request))
    const [agent, usableModels] = await Promise.all([
      agents.load({ ...pin, workspaceId }),
      models.forWorkspace(workspaceId),
    ])
    checkModels(agent, usableModels)
    return { pin, agent }
  }

  /** Stores the call and reserves its slot in one transaction. */
  async function storeCall(row: CallRow, { agentId, agentVersion: version }: AgentPin): Promise<void> {
    const { workspace_id: workspaceId, call_id: leaseId, created_at: now } = row
    await database.transaction(
      async (transaction) => {
        const isReserved = await reservations.reserve(transaction, { workspaceId, leaseId, durationMs: RESERVATION_MS })
        if (!isReserved) {
          const message = 'The workspace has reached its limit of concurrent calls. Try again later.'
          throw new AppError('concurrency_limit_reached', message, { retryAfterMs: RETRY_MS })
        }
        // Pins the agent again, because it may have been deleted after the first pin.
        await agents.pin(transaction, { workspaceId, agentId, version, now })
        await insertCall(transaction, row)
      },
      { isolation: 'read-committed' },
    )
  }

  return {
    async create(call) {
      const { pin, agent } = await pinAgent(call)
      const { storage } = events.getInitialColumns(agent.postProcessing, call.optOutSensitiveDataStorage)
      const row = { ...buildCallRow(call, pin), storage }
      await storeCall(row, pin)
      warmUp(call.workspaceId, agent)
      return { ...row, hidden: 0 }
    },
  }
}

function buildCallRow(call: NewCall, pin: AgentPin): CallRow {
  const { createdAtMs: now } = call
  const agentPath = [{ agentId: pin.agentId, agentVersion: pin.agentVersion, at: new Date(now).toISOString() }]
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
    agent_path: JSON.stringify(agentPath),
    created_at: now,
    updated_at: now,
    // Only calls with a token can be joined until this time.
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

/** Initial values of columns that are set later. */
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

/** Returns an agent's workspace and kind, or null if the id is unknown. */
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

async function insertCall(transaction: Transaction, row: CallRow): Promise<void> {
  await transaction.insertInto('calls').values(row).execute()
}
