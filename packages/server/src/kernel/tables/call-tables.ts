import type { GeneratedAlways } from 'kysely'
import type { Flag, Json, Milliseconds } from './columns.ts'

/** A millionth of a US dollar: sums of integers are exact. */
type MicroDollars = number

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
  /** JSON array of {agentId, agentVersion, at}. */
  agent_path: Json
  metadata: Json
  custom_attributes: Json
  given_variables: Json
  collected_variables: Json
  /** Last, so that what is looked at more often need not be read past it. */
  transcript: string
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

export interface CallTables {
  calls: CallTable
  call_counts: CallCountRow
  /** With `spreadCounts` only. */
  call_count_sums: CallCountRow
  /** With `spreadCounts` only: what is to be added to the sums. */
  call_count_changes: CallCountRow
}
