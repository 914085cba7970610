import type { CallStatus } from '@parley/contract/call'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { GeneratedAlways } from 'kysely'
import type { Flag, Json, Milliseconds } from './columns.ts'

/** A millionth of a US dollar: sums of integers are exact. */
type MicroDollars = number

/** An agent that held a call. */
export interface AgentOnPath {
  readonly agentId: string
  readonly agentVersion: number
  /** Since when. */
  readonly at: string
  /** What the hand-over to it says about what comes afterwards; absent for the first one. */
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
  /** A copy: the call outlives its agent. Empty when the agent has no name. */
  agent_name: string
  from_number: string | null
  to_number: string | null
  /** Id of the call at the carrier. */
  call_sid: string | null
  customer_name: string | null
  parent_call_id: string | null
  /** Never changes: lists are sorted by it. */
  created_at: Milliseconds
  /** Until when it can be joined. */
  expires_at: Milliseconds | null
  started_at: Milliseconds | null
  ended_at: Milliseconds | null
  archived_at: Milliseconds | null
  updated_at: Milliseconds
  duration_ms: number | null
  disconnection_reason: string | null
  opt_out_storage: Flag
  sentiment: string | null
  /** Null until the call was analysed. */
  successful: Flag | null
  summary: string | null
  recording_url: string | null
  cost_voice: MicroDollars | null
  cost_llm: MicroDollars | null
  cost_gross: MicroDollars | null
  cost_total: MicroDollars | null
  cost_breakdown: Json
  /** JSON array of `AgentOnPath`, in order. */
  agent_path: Json
  metadata: Json
  custom_attributes: Json
  given_variables: Json
  collected_variables: Json
  override_variables: Json
  engine_id: string | null
  engine_version: number | null
  /** The node that holds the call since it was joined. */
  node_id: string | null
  /** SHA-256 of the token that joins it. */
  token_hash: string | null
  /** It works once. */
  token_used_at: Milliseconds | null
  /** JSON of the storage policy that it began with; null for calls that were not spoken here. */
  storage: string | null
  /** What was stored of it once it was over: a setting of the policy. */
  stored_as: string | null
  /** When something is to be done about it: a token that lapses, a job that was lost, the end of its retention. */
  due_at: Milliseconds | null
  /** What was found out of one's own questions. */
  custom_data: Json
  /** JSON of `CallLatency`. */
  latency: Json
  /** JSON of rate and length; null without a recording. */
  recording: string | null
  /** Last, so that what is looked at more often need not be read past it. */
  transcript: string
}

/** Statuses that something can follow; the others are the end of a call. */
export const LIVE_STATUSES = ['registered', 'ongoing'] as const satisfies readonly CallStatus[]

/** Whether the call waits for its caller, or is spoken in. */
export function isLive({ status }: Pick<CallRow, 'status'>): boolean {
  return LIVE_STATUSES.some((living) => living === status)
}

/** The row with what the database derives from it. */
export interface CallTable extends CallRow {
  /** Why the history leaves it out: 0 it does not, 1 archived, 2 child of another call, 3 both. */
  hidden: GeneratedAlways<number>
}

/**
 * How many calls there are of a kind, kept by triggers of `calls`: exact totals without counting rows. Where writers leave
 * changes behind (`spreadCounts`), this is a view of sums and changes together.
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

/** What happened in a call, in order. */
export interface CallEventRow {
  call_id: string
  position: number
  /** Milliseconds since the call began. */
  at_ms: number
  created_at: Milliseconds
  /** As `CallEvent.type`. */
  type: string
  /** JSON of the event without position and times. */
  content: Json
}

export interface CallTables {
  calls: CallTable
  call_events: CallEventRow
  call_counts: CallCountRow
  /** With `spreadCounts` only. */
  call_count_sums: CallCountRow
  /** With `spreadCounts` only: what is to be added to the sums. */
  call_count_changes: CallCountRow
}
