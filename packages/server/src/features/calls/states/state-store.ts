import type { BatchStatement, Database, Reader, Transaction } from '../../../kernel/storage/database.ts'
import { type CallRow, LIVE_STATUSES } from '../../../tables/call-tables.ts'
import type { StoredCall } from '../call-responses.ts'

/** What of a call's row says how it stands. Every change names the state that it starts from, so that no two of them win. */

/** Takes the token for this node: false when somebody has used it, or it joins nothing any more. */
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

/** Takes a call without a token for this node: false when another node has it, or it does not wait any more. */
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

/** Gives a call back that could not start here: its token works again. */
export function returnCall({ compile }: Pick<Database, 'compile'>, callId: string, nodeId: string): BatchStatement {
  const query = compile
    .updateTable('calls')
    .set({ token_used_at: null, node_id: null })
    .where('call_id', '=', callId)
    .where('status', '=', 'registered')
    .where('node_id', '=', nodeId)
  return { query: query.compile() }
}

/** The same for all calls that a node had taken and not started. */
export function returnCallsOf({ compile }: Pick<Database, 'compile'>, nodeId: string): BatchStatement {
  const query = compile
    .updateTable('calls')
    .set({ token_used_at: null, node_id: null })
    .where('node_id', '=', nodeId)
    .where('status', '=', 'registered')
  return { query: query.compile() }
}

/** Starts a call that this node has taken. */
export function startCall(
  { compile }: Pick<Database, 'compile'>,
  { call, nodeId, now }: { readonly call: StoredCall; readonly nodeId: string; readonly now: number },
): BatchStatement {
  const agent_path = JSON.stringify([
    { agentId: call.agent_id, agentVersion: call.agent_version, at: new Date(now).toISOString() },
  ])
  const query = compile
    .updateTable('calls')
    .set({ status: 'ongoing', started_at: now, due_at: null, updated_at: now, agent_path })
    .where('call_id', '=', call.call_id)
    .where('status', '=', 'registered')
    .where('node_id', '=', nodeId)
  return { query: query.compile(), expectRows: 1 }
}

/** How a call ended. */
export type EndColumns = Pick<
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

/** Ends a call that stands as `from` says; nothing is written when it does not any more. */
export function endCall(
  { compile }: Pick<Database, 'compile'>,
  from: Pick<CallRow, 'call_id' | 'status' | 'node_id'>,
  { now, ...columns }: EndColumns & { readonly now: number },
): BatchStatement {
  const query = compile
    .updateTable('calls')
    .set({ ...columns, node_id: null, due_at: null, updated_at: now })
    .where('call_id', '=', from.call_id)
    .where('status', '=', from.status)
    .where('node_id', from.node_id === null ? 'is' : '=', from.node_id)
  return { query: query.compile(), expectRows: 1 }
}

/** Whether a node holds the call, as far as its row says. */
export async function isOwnedBy(reader: Reader, callId: string, nodeId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('calls')
    .select(['status', 'node_id'])
    .where('call_id', '=', callId)
    .executeTakeFirst()
  return row?.status === 'ongoing' && row.node_id === nodeId
}

/** Calls that a node holds. */
export async function callsOfNode(reader: Reader, nodeId: string, limit: number): Promise<readonly StoredCall[]> {
  return await reader
    .selectFrom('calls')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('status', '=', 'ongoing')
    .limit(limit)
    .execute()
}

/** Nodes that hold calls, or have taken the token of one. */
export async function nodesWithCalls(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('calls')
    .select('node_id')
    .distinct()
    .where('node_id', 'is not', null)
    .where('status', 'in', LIVE_STATUSES)
    .execute()
  return rows.map((row) => row.node_id).filter((nodeId) => nodeId !== null)
}

/** Calls whose caller did not come in time and is not just being let in. */
export async function overdueCalls(
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
