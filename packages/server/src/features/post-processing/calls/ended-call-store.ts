import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery } from '../../../kernel/storage/prepared-query.ts'
import { type CallEventRow, type CallRow, isLive, LIVE_STATUSES } from '../../../tables/call-tables.ts'

/** A stored call that has ended. */
export interface EndedCall {
  readonly call: CallRow
  readonly events: readonly CallEvent[]
}

export const isEnded = (call: Pick<CallRow, 'status'>): boolean => !isLive(call)

const queryCall = prepareQuery<{ callId: string }, CallRow>((reader, param) =>
  reader.selectFrom('calls').selectAll().where('call_id', '=', param('callId')),
)

export async function findCallRow(reader: Reader, callId: string): Promise<CallRow | null> {
  const [row] = await queryCall(reader, { callId })
  return row ?? null
}

/** Maximum number of events per read. */
const BATCH_SIZE = 1_000

/** Reads all recorded events, including events that a node wrote after it was declared dead. */
export async function readCallEvents(reader: Reader, callId: string): Promise<readonly CallEvent[]> {
  const events: CallEvent[] = []
  for (let lastPosition = -1; ; ) {
    const rows = await reader
      .selectFrom('call_events')
      .select(['position', 'at_ms', 'created_at', 'type', 'content'])
      .where('call_id', '=', callId)
      .where('position', '>', lastPosition)
      .orderBy('position')
      .limit(BATCH_SIZE)
      .execute()
    events.push(...rows.map(toEvent))
    lastPosition = rows.at(-1)?.position ?? lastPosition
    if (rows.length < BATCH_SIZE) return events
  }
}

function toEvent({ position, at_ms, created_at, type, content }: Omit<CallEventRow, 'call_id'>): CallEvent {
  const at = new Date(created_at).toISOString()
  return { ...(JSON.parse(content) as object), position, atMs: at_ms, at, type } as CallEvent
}

function serializeContent({ position: _position, atMs: _atMs, at: _at, type: _type, ...fields }: CallEvent): string {
  return JSON.stringify(fields)
}

/** Reads the stored analysis results of a call. */
export function readStoredAnalysis(
  call: Pick<CallRow, 'sentiment' | 'successful' | 'summary' | 'custom_data'>,
): ChatAnalysis {
  return {
    summary: call.summary,
    sentiment: call.sentiment as ChatAnalysis['sentiment'],
    successful: call.successful === null ? null : call.successful === 1,
    customData: JSON.parse(call.custom_data) as ChatAnalysis['customData'],
  }
}

export function buildAnalysisColumns({ summary, sentiment, successful, customData }: ChatAnalysis) {
  return {
    summary,
    sentiment,
    successful: successful === null ? null : successful ? (1 as const) : (0 as const),
    custom_data: JSON.stringify(customData),
  }
}

/** Builds a statement that updates an ended call. It conflicts if the call changed since it was read. */
export function buildCallUpdate(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  call: CallRow,
  columns: Partial<CallRow>,
): BatchStatement {
  const { call_id, updated_at, stored_as, storage, cost_breakdown } = call
  const query = queryBuilder
    .updateTable('calls')
    .set(columns)
    .where('call_id', '=', call_id)
    .where('status', 'not in', LIVE_STATUSES)
    .where('updated_at', '=', updated_at)
    .where('stored_as', stored_as === null ? 'is' : '=', stored_as)
    .where('storage', storage === null ? 'is' : '=', storage)
    .where('cost_breakdown', '=', cost_breakdown)
  return { query: query.compile(), expectRows: 1 }
}

/** Builds statements that replace or delete a call's events. Events after the call's end are always deleted. */
export function buildRewriteStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  { call, events }: EndedCall,
  newEvents: readonly CallEvent[] | null,
): BatchStatement[] {
  const { call_id } = call
  const deleteQuery = queryBuilder.deleteFrom('call_events').where('call_id', '=', call_id)
  if (newEvents === null) return [{ query: deleteQuery.compile() }]
  const endEvent = events.find(({ type }) => type === 'call-ended')
  const statements: BatchStatement[] =
    endEvent === undefined ? [] : [{ query: deleteQuery.where('position', '>', endEvent.position).compile() }]
  for (const [index, event] of newEvents.entries()) {
    const currentEvent = events[index]
    if (currentEvent === undefined || currentEvent === event) continue
    const content = serializeContent(event)
    if (content === serializeContent(currentEvent)) continue
    const query = queryBuilder
      .updateTable('call_events')
      .set({ content })
      .where('call_id', '=', call_id)
      .where('position', '=', event.position)
    statements.push({ query: query.compile() })
  }
  return statements
}
