import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { Leases, Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import type { CallEvents } from '../call-events.ts'
import type { StoredCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import { createRejection, rejectOnError } from '../creating/call-admission.ts'
import type { CallRejection } from '../live-calls.ts'
import { buildReleaseStatement, buildStartStatement, claimCall } from './state-store.ts'

interface FoundCall {
  readonly ok: true
  readonly call: StoredCall
}

/** Starts calls in the database. Methods never reject. They return a rejection on errors. */
export interface CallStarter {
  /** Returns the call if it can start on this node. Does not reserve a slot. */
  find(callId: string): Promise<FoundCall | CallRejection>
  /** Acquires a slot and marks the call as ongoing on this node. Returns the updated row. */
  start(call: StoredCall): Promise<FoundCall | CallRejection>
}

interface CallStarterDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly leases: Pick<Leases, 'acquire' | 'release'>
  readonly events: Pick<CallEvents, 'onStarted'>
  readonly logError: (name: string, error: unknown) => void
}

export function createCallStarter(dependencies: CallStarterDependencies): CallStarter {
  const { database, clock, nodes, leases, events } = dependencies
  const { nodeId } = nodes
  const logError = (error: unknown): void => dependencies.logError('start a call', error)

  async function find(callId: string): Promise<FoundCall | CallRejection> {
    const call = await findCall(database.read, callId)
    if (call === null || !isLive(call)) return createRejection('call_ended')
    const isUnclaimed = call.token_hash === null && call.node_id === null
    if (call.status !== 'registered' || !(isUnclaimed || call.node_id === nodeId))
      return createRejection('held_elsewhere')
    return { ok: true, call }
  }

  async function markStarted(call: StoredCall): Promise<FoundCall | CallRejection> {
    const now = clock.now()
    const notifications = await events.onStarted(call)
    await database.batch([buildStartStatement(database, { call, nodeId, now }), ...notifications])
    const startedCall = await findCall(database.read, call.call_id)
    return startedCall === null ? createRejection('call_ended') : { ok: true, call: startedCall }
  }

  async function acquireSlotAndStart(call: StoredCall): Promise<FoundCall | CallRejection> {
    const { call_id: callId, workspace_id: workspaceId } = call
    if (!(await leases.acquire(workspaceId, callId))) return createRejection('concurrency_limit_reached')
    try {
      return await markStarted(call)
    } catch (error) {
      await leases.release(callId).catch(logError)
      if (error instanceof BatchConflictError) return createRejection('call_ended')
      throw error
    }
  }

  /** Starts a call. Calls without a token are claimed first so that only one node starts them. */
  async function start(call: StoredCall): Promise<FoundCall | CallRejection> {
    const { call_id: callId } = call
    if (call.node_id === nodeId) return await acquireSlotAndStart(call)
    const isClaimed = await database.transaction(
      (transaction) => claimCall(transaction, { callId, nodeId, now: clock.now() }),
      { isolation: 'read-committed' },
    )
    if (!isClaimed) return createRejection('held_elsewhere')
    let isStarted = false
    try {
      const result = await acquireSlotAndStart({ ...call, node_id: nodeId })
      isStarted = result.ok
      return result
    } finally {
      if (!isStarted) await database.batch([buildReleaseStatement(database, callId, nodeId)]).catch(logError)
    }
  }

  return {
    find: (callId) => rejectOnError(() => find(callId), logError),
    start: (call) => rejectOnError(() => start(call), logError),
  }
}
