import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { StoredCall } from '../call-responses.ts'
import { readEvents } from '../records/event-store.ts'
import type { CallEnder } from './call-ender.ts'
import { buildReleaseNodeStatement, findNodeCalls, findNodesWithCalls, findOverdueCalls } from './state-store.ts'

/** Maximum number of calls ended in one batch. */
const BATCH_SIZE = 100
/** Number of calls ended at the same time. Limits concurrent writes after a node dies. */
const CONCURRENCY = 4
/** Grace period for callers who are being admitted. */
const JOIN_GRACE_MS = 60_000

interface LostCallRecoveryDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly callEnder: Pick<CallEnder, 'end'>
  /** Completes a recording that is no longer being written and returns its length, or null if there is no recording. */
  readonly finalizeRecording: (callId: string) => Promise<{ readonly durationMs: number } | null>
  /** Builds the statement that releases all of a node's slots. */
  readonly releaseNodeSlots: (nodeId: string) => BatchStatement
}

/** Ends calls whose node died or whose caller never joined. */
export interface LostCallRecovery {
  /**
   * Ends a dead node's calls, releases its slots and makes its unused tokens valid again. A call ends at its last event
   * or the end of its recording.
   */
  endLostCalls(nodeId: string): Promise<void>
  /** Ends the calls of every dead node. Runs on start and periodically. */
  endAllLostCalls(): Promise<void>
  /** Ends calls whose caller did not join in time. */
  expireOverdue(signal?: AbortSignal): Promise<void>
}

export function createLostCallRecovery({
  database,
  clock,
  nodes,
  callEnder,
  finalizeRecording,
  releaseNodeSlots,
}: LostCallRecoveryDependencies): LostCallRecovery {
  const { read } = database

  /** Ends every call, then throws if any call failed. */
  async function endCalls(
    calls: readonly StoredCall[],
    endCall: (call: StoredCall) => Promise<unknown>,
  ): Promise<void> {
    const queue = calls.values()
    const failures: unknown[] = []
    async function runWorker(): Promise<void> {
      for (const call of queue) await endCall(call).catch((error: unknown) => failures.push(error))
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, runWorker))
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} calls could not be ended.`)
  }

  async function endLostCalls(nodeId: string): Promise<void> {
    await database.batch([buildReleaseNodeStatement(database, nodeId), releaseNodeSlots(nodeId)])
    for (;;) {
      const calls = await findNodeCalls(read, nodeId, BATCH_SIZE)
      await endCalls(calls, async (call) => {
        const startedAtMs = call.started_at ?? clock.now()
        const lastEvent = (await readEvents(read, call.call_id)).at(-1)
        const recording = await finalizeRecording(call.call_id)
        const endedAtMs = Math.max(
          lastEvent === undefined ? startedAtMs : Date.parse(lastEvent.at),
          startedAtMs + (recording?.durationMs ?? 0),
        )
        await callEnder.end(call, { reason: 'error_node_lost', endedAtMs })
      })
      if (calls.length < BATCH_SIZE) return
    }
  }

  return {
    endLostCalls,

    async endAllLostCalls() {
      for (const nodeId of await findNodesWithCalls(read)) {
        if (nodeId !== nodes.nodeId && !(await nodes.isAlive(nodeId))) await endLostCalls(nodeId)
      }
    },

    async expireOverdue(signal) {
      while (signal?.aborted !== true) {
        const now = clock.now()
        const calls = await findOverdueCalls(read, { now, claimedBeforeMs: now - JOIN_GRACE_MS, limit: BATCH_SIZE })
        await endCalls(calls, (call) =>
          callEnder.end(call, { reason: 'registered_call_timeout', endedAtMs: call.expires_at ?? now }),
        )
        if (calls.length < BATCH_SIZE) return
      }
    },
  }
}
