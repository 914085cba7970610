import type { CallStatus } from '@parley/contract/call'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { GeneratedAlways } from 'kysely'
import type { Flag, Json, Milliseconds } from './columns.ts'

/** Millionths of a US dollar, because integer sums are exact. */
type MicroDollars = number

/** An agent that handled part of a call. */
export interface AgentPathEntry {
  readonly agentId: string
  readonly agentVersion: number
  /** Time when the agent took over. */
  readonly at: string
  /** Settings applied by the handoff to this agent; absent for the first agent. */
  readonly handOver?: SwapSettings
}

export interface CallRow {
  call_id: string
  workspace_id: number
  /** web_call or phone_call */
  call_type: string
  /** registered, ongoing, ended, not_connected or error */
  status: string
  /** inbound or outbound; null for web calls. */
  direction: string | null
  agent_id: string
  agent_version: number
  /** A copy, because the call outlives its agent. Empty if the agent has no name. */
  agent_name: string
  from_number: string | null
  to_number: string | null
  /** The carrier's id of the call. */
  call_sid: string | null
  customer_name: string | null
  parent_call_id: string | null
  /** Never changes. Lists are sorted by this column. */
  created_at: Milliseconds
  /** Deadline for joining the call. */
  expires_at: Milliseconds | null
  started_at: Milliseconds | null
  ended_at: Milliseconds | null
  archived_at: Milliseconds | null
  updated_at: Milliseconds
  duration_ms: number | null
  disconnection_reason: string | null
  opt_out_storage: Flag
  sentiment: string | null
  /** Null until the call is analyzed. */
  successful: Flag | null
  summary: string | null
  recording_url: string | null
  cost_voice: MicroDollars | null
  cost_llm: MicroDollars | null
  cost_gross: MicroDollars | null
  cost_total: MicroDollars | null
  cost_breakdown: Json
  /** JSON array of `AgentPathEntry`, in order. */
  agent_path: Json
  metadata: Json
  custom_attributes: Json
  given_variables: Json
  collected_variables: Json
  override_variables: Json
  engine_id: string | null
  engine_version: number | null
  /** The node that has run the call since the caller joined. */
  node_id: string | null
  /** SHA-256 of the access token. */
  token_hash: string | null
  /** Set when the token is used, because a token is valid only once. */
  token_used_at: Milliseconds | null
  /** JSON of the storage policy at the start of the call; null for calls without audio on this server. */
  storage: string | null
  /** The storage setting that was applied after the end of the call. */
  stored_as: string | null
  /** Time of the next check: for an expiring token, a lost job or the end of the retention period. */
  due_at: Milliseconds | null
  /** JSON of the custom analysis results. */
  custom_data: Json
  /** JSON of `CallLatency`. */
  latency: Json
  /** JSON of the sample rate and length; null without a recording. */
  recording: string | null
  /** The last column, so that databases do not scan this long text to read other columns. */
  transcript: string
}

/** Statuses that can still change. All other statuses are final. */
export const LIVE_STATUSES = ['registered', 'ongoing'] as const satisfies readonly CallStatus[]

/** Whether the call is ongoing or waiting for its caller. */
export function isLive({ status }: Pick<CallRow, 'status'>): boolean {
  return LIVE_STATUSES.some((liveStatus) => liveStatus === status)
}

/** A call row with its generated columns. */
export interface CallTable extends CallRow {
  /** Reason why the history omits the call: 0 not omitted, 1 archived, 2 child of another call, 3 both. */
  hidden: GeneratedAlways<number>
}

/**
 * Exact call counts, maintained by triggers on `calls`. With `hasCountDeltas`, this is a view that adds the pending
 * changes to the sums.
 */
export interface CallCountRow {
  workspace_id: number
  /** `created_at` in whole weeks since the Unix epoch. */
  period: number
  agent_id: string
  agent_version: number
  status: string
  hidden: number
  calls: number
}

/** Events of a call, in order. */
export interface CallEventRow {
  call_id: string
  position: number
  /** Milliseconds since the start of the call. */
  at_ms: number
  created_at: Milliseconds
  /** Event type, as in `CallEvent.type`. */
  type: string
  /** JSON of the event without position and times. */
  content: Json
}

export interface CallTables {
  calls: CallTable
  call_events: CallEventRow
  call_counts: CallCountRow
  /** Exists only with `hasCountDeltas`. */
  call_count_sums: CallCountRow
  /** Exists only with `hasCountDeltas`: the changes to add to the sums. */
  call_count_changes: CallCountRow
}
