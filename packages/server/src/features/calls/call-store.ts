import type { Right } from '@parley/contract/access'
import type { CallSummary } from '@parley/contract/call'
import type { CallHistoryItem } from '@parley/contract/call-history'
import { type Actor, requireRowAccess } from '../../kernel/access/actor.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import {
  type CallLinks,
  HISTORY_COLUMNS,
  type ListedCall,
  type StoredCall,
  toHistoryItem,
  toSummary,
} from './call-responses.ts'

/** All columns except long columns that lists do not display. */
const LISTED_COLUMNS = [
  'call_id',
  'workspace_id',
  'call_type',
  'status',
  'direction',
  'agent_id',
  'agent_version',
  'agent_name',
  'from_number',
  'to_number',
  'call_sid',
  'customer_name',
  'parent_call_id',
  'created_at',
  'expires_at',
  'token_hash',
  'started_at',
  'ended_at',
  'archived_at',
  'updated_at',
  'hidden',
  'duration_ms',
  'disconnection_reason',
  'opt_out_storage',
  'sentiment',
  'successful',
  'summary',
  'recording',
  'recording_url',
  'cost_voice',
  'cost_llm',
  'cost_gross',
  'cost_total',
  'cost_breakdown',
  'agent_path',
  'metadata',
  'custom_attributes',
  'given_variables',
  'collected_variables',
  'override_variables',
  'custom_data',
  'latency',
] as const satisfies readonly (keyof ListedCall)[]

const queryCallById = prepareQuery<{ callId: string }, StoredCall>((reader, param) =>
  reader.selectFrom('calls').selectAll().where('call_id', '=', param('callId')),
)

export async function findCall(reader: Reader, callId: string): Promise<StoredCall | null> {
  const [row] = await queryCallById(reader, { callId })
  return row ?? null
}

/** Reads the calls on a page in the order of the ids. Skips deleted calls. */
export async function readSummaries(reader: Reader, ids: readonly string[], links: CallLinks): Promise<CallSummary[]> {
  if (ids.length === 0) return []
  const rows = await reader.selectFrom('calls').select(LISTED_COLUMNS).where('call_id', 'in', ids).execute()
  return orderByIds(ids, rows, (row) => toSummary(row, links))
}

/** Reads the history's calls in the order of the ids. Skips deleted calls. */
export async function readHistoryItems(
  reader: Reader,
  ids: readonly string[],
  getRecordingUrl: CallLinks['getRecordingUrl'],
): Promise<CallHistoryItem[]> {
  if (ids.length === 0) return []
  const rows = await reader
    .selectFrom('calls')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'calls.workspace_id')
    .select(HISTORY_COLUMNS)
    .select(['calls.workspace_id', 'workspaces.name as workspace_name'])
    .where('call_id', 'in', ids)
    .execute()
  return orderByIds(ids, rows, (row) => toHistoryItem(row, getRecordingUrl))
}

/** Sets or clears the archive time. Archiving a call again keeps the original time. */
export async function setArchived(
  transaction: Transaction,
  callId: string,
  { archived, now }: { readonly archived: boolean; readonly now: number },
): Promise<void> {
  await transaction
    .updateTable('calls')
    .set({ archived_at: archived ? now : null, updated_at: now })
    .where('call_id', '=', callId)
    .where('archived_at', archived ? 'is' : 'is not', null)
    .execute()
}

export async function removeCall(transaction: Transaction, callId: string): Promise<void> {
  await transaction.deleteFrom('calls').where('call_id', '=', callId).execute()
}

function orderByIds<Row extends { readonly call_id: string }, Item>(
  ids: readonly string[],
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): Item[] {
  const rowsById = new Map(rows.map((row) => [row.call_id, row]))
  return ids.flatMap((id) => {
    const row = rowsById.get(id)
    return row === undefined ? [] : [toItem(row)]
  })
}

/** Returns the call, or throws if it does not exist or the actor lacks the right. */
export function checkCall<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  callId: string,
  row: Row | null,
): Row {
  return requireRowAccess(actor, right, { resourceName: 'call', id: callId, row })
}
