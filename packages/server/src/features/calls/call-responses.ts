import type { Call, CallCosts, CallSummary } from '@parley/contract/call'
import type { CallHistoryItem } from '@parley/contract/call-history'
import type { CallLatency } from '@parley/contract/call-latency'
import type { Selectable } from 'kysely'
import type { AgentPathEntry, CallRow, CallTable } from '../../tables/call-tables.ts'

export type StoredCall = Selectable<CallTable>

/** Stored columns that responses do not contain. */
type InternalColumns = 'engine_id' | 'engine_version' | 'node_id' | 'token_used_at' | 'storage' | 'stored_as' | 'due_at'

/** Columns that lists read. */
export type ListedCall = Omit<StoredCall, 'transcript' | InternalColumns>

/** Call columns that the history reads. */
export const HISTORY_COLUMNS = [
  'call_sid',
  'call_id',
  'status',
  'agent_id',
  'agent_version',
  'agent_name',
  'from_number',
  'to_number',
  'direction',
  'customer_name',
  'duration_ms',
  'started_at',
  'recording',
  'recording_url',
  'disconnection_reason',
  'sentiment',
  'successful',
  'summary',
  'latency',
  'cost_voice',
  'cost_llm',
  'cost_gross',
  'cost_total',
  'archived_at',
  'parent_call_id',
] as const satisfies readonly (keyof CallRow)[]

/** A call in the history, with its workspace's name. */
export type HistoryRow = Pick<CallRow, (typeof HISTORY_COLUMNS)[number] | 'workspace_id'> & {
  readonly workspace_name: string
}

const toIsoTime = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const toDollars = (microDollars: number | null): number | null => (microDollars === null ? null : microDollars / 1e6)

type Costs = Pick<CallRow, 'cost_voice' | 'cost_llm' | 'cost_gross' | 'cost_total'>

const toCosts = (row: Costs): CallCosts => ({
  voice: toDollars(row.cost_voice),
  llm: toDollars(row.cost_llm),
  gross: toDollars(row.cost_gross),
  total: toDollars(row.cost_total),
})

const NO_LATENCY: CallLatency = {
  e2e: null,
  endOfTurn: null,
  recogniser: null,
  retrieval: null,
  model: null,
  firstClause: null,
  synthesis: null,
  playout: null,
}

const toLatency = (latency: string): CallLatency => ({
  ...NO_LATENCY,
  ...(JSON.parse(latency) as Partial<CallLatency>),
})

/** Returns a call's median response latency in milliseconds, or null if the agent never responded. */
export const getMedianLatency = (latency: string): number | null => toLatency(latency).e2e?.p50 ?? null

const toBoolean = (flag: number | null): boolean | null => (flag === null ? null : flag === 1)

export type JoinLink = Pick<Call, 'accessToken' | 'webCallUrl'>

/** Returns the link for joining a call, or null fields if the API caller cannot join. */
type GetJoinLink = (
  row: Pick<ListedCall, 'call_id' | 'workspace_id' | 'status' | 'expires_at' | 'token_hash'>,
) => JoinLink

/** Provides the links in responses. */
export interface CallLinks {
  readonly getJoinLink: GetJoinLink
  /** Returns the recording's URL, or null if there is no recording. */
  readonly getRecordingUrl: (row: Pick<ListedCall, 'call_id' | 'recording' | 'recording_url'>) => string | null
}

export function toCall(row: StoredCall, links: CallLinks): Call {
  return { ...toSummary(row, links), transcript: row.transcript }
}

export function toSummary(row: ListedCall, links: CallLinks): CallSummary {
  return {
    callId: row.call_id,
    workspaceId: row.workspace_id,
    callType: row.call_type as Call['callType'],
    status: row.status as Call['status'],
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    agentName: row.agent_name,
    agentPath: (JSON.parse(row.agent_path) as AgentPathEntry[]).map(({ agentId, agentVersion, at }) => {
      return { agentId, agentVersion, at }
    }),
    direction: row.direction as Call['direction'],
    fromNumber: row.from_number,
    toNumber: row.to_number,
    metadata: JSON.parse(row.metadata) as Call['metadata'],
    customAttributes: JSON.parse(row.custom_attributes) as Call['customAttributes'],
    service_dynamic_variables: JSON.parse(row.given_variables) as Record<string, string>,
    collectedDynamicVariables: JSON.parse(row.collected_variables) as Record<string, string>,
    overrideDynamicVariables: JSON.parse(row.override_variables) as Record<string, string | null>,
    optOutSensitiveDataStorage: row.opt_out_storage === 1,
    ...links.getJoinLink(row),
    expiresAt: toIsoTime(row.expires_at),
    createdAt: new Date(row.created_at).toISOString(),
    startedAt: toIsoTime(row.started_at),
    endedAt: toIsoTime(row.ended_at),
    durationMs: row.duration_ms,
    disconnectionReason: row.disconnection_reason as Call['disconnectionReason'],
    sentiment: row.sentiment as Call['sentiment'],
    successful: toBoolean(row.successful),
    summary: row.summary,
    customAnalysisData: JSON.parse(row.custom_data) as Call['customAnalysisData'],
    latency: toLatency(row.latency),
    recordingUrl: links.getRecordingUrl(row),
    costs: toCosts(row),
    costBreakdown: JSON.parse(row.cost_breakdown) as Call['costBreakdown'],
    parentCallId: row.parent_call_id,
    archivedAt: toIsoTime(row.archived_at),
  }
}

export function toHistoryItem(row: HistoryRow, getRecordingUrl: CallLinks['getRecordingUrl']): CallHistoryItem {
  return {
    callSid: row.call_sid ?? row.call_id,
    callId: row.call_id,
    callStatus: row.status as CallHistoryItem['callStatus'],
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    agentName: row.agent_name,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    fromNumber: row.from_number,
    toNumber: row.to_number,
    direction: row.direction as CallHistoryItem['direction'],
    customerName: row.customer_name,
    duration: row.duration_ms === null ? null : Math.round(row.duration_ms / 1000),
    durationMs: row.duration_ms,
    disconnectionReason: row.disconnection_reason as CallHistoryItem['disconnectionReason'],
    startedAt: toIsoTime(row.started_at),
    recordingUrl: getRecordingUrl(row),
    sentiment: row.sentiment as CallHistoryItem['sentiment'],
    successful: toBoolean(row.successful),
    summary: row.summary,
    latencyP50Ms: getMedianLatency(row.latency),
    costs: toCosts(row),
    archivedAt: toIsoTime(row.archived_at),
    parentCallId: row.parent_call_id,
  }
}
