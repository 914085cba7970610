import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { Leases, Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import type { CallEvents } from '../call-events.ts'
import { refuse, refuseOnFailure } from '../call-refusals.ts'
import type { StoredCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import type { CallRefusal } from '../live-calls.ts'
import { claimCall, returnCall, startCall } from './state-store.ts'

export interface FoundCall {
  readonly ok: true
  readonly call: StoredCall
}

/** Starts calls as far as their records say. Nothing rejects: what goes wrong is a refusal. */
export interface CallStarter {
  /** The call if it can start on this node now. Nothing is taken yet, so that an agent can be loaded in between. */
  find(callId: string): Promise<FoundCall | CallRefusal>
  /** Takes the slot and marks the call as ongoing: this node holds it from now on. The answer is the row as it is then. */
  start(call: StoredCall): Promise<FoundCall | CallRefusal>
}

export interface CallStarterDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly leases: Pick<Leases, 'take' | 'release'>
  readonly events: Pick<CallEvents, 'started'>
  readonly logError: (name: string, error: unknown) => void
}

export function createCallStarter(dependencies: CallStarterDependencies): CallStarter {
  const { database, clock, nodes, leases, events } = dependencies
  const { nodeId } = nodes
  const logError = (error: unknown): void => dependencies.logError('start a call', error)

  async function find(callId: string): Promise<FoundCall | CallRefusal> {
    const call = await findCall(database.read, callId)
    if (call === null || !isLive(call)) return refuse('call_ended')
    const isOpen = call.token_hash === null && call.node_id === null
    if (call.status !== 'registered' || !(isOpen || call.node_id === nodeId)) return refuse('held_elsewhere')
    return { ok: true, call }
  }

  async function markStarted(call: StoredCall): Promise<FoundCall | CallRefusal> {
    const now = clock.now()
    const notifications = await events.started(call)
    await database.batch([startCall(database, { call, nodeId, now }), ...notifications])
    const started = await findCall(database.read, call.call_id)
    return started === null ? refuse('call_ended') : { ok: true, call: started }
  }

  async function takeSlot(call: StoredCall): Promise<FoundCall | CallRefusal> {
    const { call_id: callId, workspace_id: workspaceId } = call
    if (!(await leases.take(workspaceId, callId))) return refuse('concurrency_limit_reached')
    try {
      return await markStarted(call)
    } catch (error) {
      await leases.release(callId).catch(logError)
      if (error instanceof BatchConflictError) return refuse('call_ended')
      throw error
    }
  }

  /** The call of a token is this node's already; any other is claimed first, so that of several nodes one takes the slot. */
  async function start(call: StoredCall): Promise<FoundCall | CallRefusal> {
    const { call_id: callId } = call
    if (call.node_id === nodeId) return await takeSlot(call)
    const isClaimed = await database.transaction(
      (transaction) => claimCall(transaction, { callId, nodeId, now: clock.now() }),
      { isolation: 'read-committed' },
    )
    if (!isClaimed) return refuse('held_elsewhere')
    let isStarted = false
    try {
      const started = await takeSlot({ ...call, node_id: nodeId })
      isStarted = started.ok
      return started
    } finally {
      if (!isStarted) await database.batch([returnCall(database, callId, nodeId)]).catch(logError)
    }
  }

  return {
    find: (callId) => refuseOnFailure(() => find(callId), logError),
    start: (call) => refuseOnFailure(() => start(call), logError),
  }
}
