import type { BatchStatement, Database, Reader, Transaction } from '../../../kernel/storage/database.ts'
import { type CallRow, LIVE_STATUSES } from '../../../tables/call-tables.ts'
import type { StoredCall } from '../call-responses.ts'

/** Consumes the token for this node. Returns false if the token was already used or is no longer valid. */
export async function claimToken(
  transaction: Transaction,
  { callId, tokenHash, nodeId, now }: { callId: string; tokenHash: string; nodeId: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('calls')
    .set({ token_used_at: now, node_id: nodeId, updated_at: now })
    .where('call_id', '=', callId)
    .where('status', '=', 'registered')
    .where('token_hash', '=', tokenHash)
    .where('token_used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Claims a call without a token for this node. Returns false if the call is already claimed or no longer waiting. */
export async function claimCall(
  transaction: Transaction,
  { callId, nodeId, now }: { callId: string; nodeId: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('calls')
    .set({ node_id: nodeId, updated_at: now })
    .where('call_id', '=', callId)
    .where('status', '=', 'registered')
    .where('token_hash', 'is', null)
    .where('node_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Builds a statement that releases this node's claim on a call and makes the call's token valid again. */
export function buildReleaseStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  callId: string,
  nodeId: string,
): BatchStatement {
  const query = queryBuilder
    .updateTable('calls')
    .set({ token_used_at: null, node_id: null })
    .where('call_id', '=', callId)
    .where('status', '=', 'registered')
    .where('node_id', '=', nodeId)
  return { query: query.compile() }
}

/** Builds a statement that releases all calls that a node claimed but did not start. */
export function buildReleaseNodeStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  nodeId: string,
): BatchStatement {
  const query = queryBuilder
    .updateTable('calls')
    .set({ token_used_at: null, node_id: null })
    .where('node_id', '=', nodeId)
    .where('status', '=', 'registered')
  return { query: query.compile() }
}

/** Builds a statement that starts a call claimed by this node. */
export function buildStartStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  { call, nodeId, now }: { readonly call: StoredCall; readonly nodeId: string; readonly now: number },
): BatchStatement {
  const agent_path = JSON.stringify([
    { agentId: call.agent_id, agentVersion: call.agent_version, at: new Date(now).toISOString() },
  ])
  const query = queryBuilder
    .updateTable('calls')
    .set({ status: 'ongoing', started_at: now, due_at: null, updated_at: now, agent_path })
    .where('call_id', '=', call.call_id)
    .where('status', '=', 'registered')
    .where('node_id', '=', nodeId)
  return { query: query.compile(), expectRows: 1 }
}

/** Columns that store a call's end. */
type EndColumns = Pick<
  CallRow,
  | 'status'
  | 'disconnection_reason'
  | 'ended_at'
  | 'duration_ms'
  | 'transcript'
  | 'latency'
  | 'collected_variables'
  | 'agent_path'
  | 'recording'
>

/** Builds a statement that ends a call if its row still matches `expectedRow`. Otherwise, the batch fails. */
export function buildEndStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  expectedRow: Pick<CallRow, 'call_id' | 'status' | 'node_id'>,
  { now, ...columns }: EndColumns & { readonly now: number },
): BatchStatement {
  const query = queryBuilder
    .updateTable('calls')
    .set({ ...columns, node_id: null, due_at: null, updated_at: now })
    .where('call_id', '=', expectedRow.call_id)
    .where('status', '=', expectedRow.status)
    .where('node_id', expectedRow.node_id === null ? 'is' : '=', expectedRow.node_id)
  return { query: query.compile(), expectRows: 1 }
}

/** Whether the call is ongoing and assigned to the node. */
export async function isHeldByNode(reader: Reader, callId: string, nodeId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('calls')
    .select(['status', 'node_id'])
    .where('call_id', '=', callId)
    .executeTakeFirst()
  return row?.status === 'ongoing' && row.node_id === nodeId
}

export async function findNodeCalls(reader: Reader, nodeId: string, limit: number): Promise<readonly StoredCall[]> {
  return await reader
    .selectFrom('calls')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('status', '=', 'ongoing')
    .limit(limit)
    .execute()
}

/** Returns the nodes that hold calls or have consumed a call's token. */
export async function findNodesWithCalls(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('calls')
    .select('node_id')
    .distinct()
    .where('node_id', 'is not', null)
    .where('status', 'in', LIVE_STATUSES)
    .execute()
  return rows.map((row) => row.node_id).filter((nodeId) => nodeId !== null)
}

/** Returns registered calls whose join time has expired, except calls whose caller is being admitted. */
export async function findOverdueCalls(
  reader: Reader,
  { now, claimedBeforeMs, limit }: { readonly now: number; readonly claimedBeforeMs: number; readonly limit: number },
): Promise<readonly StoredCall[]> {
  return await reader
    .selectFrom('calls')
    .selectAll()
    .where('due_at', '<=', now)
    .where('status', '=', 'registered')
    .where((where) => where.or([where('token_used_at', 'is', null), where('token_used_at', '<=', claimedBeforeMs)]))
    .orderBy('due_at')
    .limit(limit)
    .execute()
}
