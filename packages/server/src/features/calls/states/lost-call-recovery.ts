import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { StoredCall } from '../call-responses.ts'
import { readEvents } from '../records/event-store.ts'
import type { CallEnder } from './call-ender.ts'
import { callsOfNode, nodesWithCalls, overdueCalls, returnCallsOf } from './state-store.ts'

/** Calls ended per batch. */
const BATCH_SIZE = 100
/** Bounds writes, but ends hundreds of calls within seconds after a node dies. */
const CONCURRENCY = 4
/** Longer than admitting a caller takes. */
const JOIN_GRACE_MS = 60_000

interface LostCallRecoveryDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly callEnder: Pick<CallEnder, 'end'>
  /** Completes a recording that nobody writes any more; returns its length, or null without one. */
  readonly finalizeRecording: (callId: string) => Promise<{ readonly durationMs: number } | null>
  /** Releases all slots of a node. */
  readonly releaseSlotsOf: (nodeId: string) => BatchStatement
}

/** Ends calls without a live holder. */
export interface LostCallRecovery {
  /**
   * Ends the calls of a dead node at their last event or the end of their recording, frees its slots, and restores
   * tokens it consumed.
   */
  endLost(nodeId: string): Promise<void>
  /** The same for every dead node; runs at start and periodically. */
  endAllLost(): Promise<void>
  /** Ends calls whose caller did not join in time. */
  expireOverdue(signal?: AbortSignal): Promise<void>
}

export function createLostCallRecovery({
  database,
  clock,
  nodes,
  callEnder,
  finalizeRecording,
  releaseSlotsOf,
}: LostCallRecoveryDependencies): LostCallRecovery {
  const { read } = database

  /** Tries every call, then rejects when one failed. */
  async function endEach(calls: readonly StoredCall[], end: (call: StoredCall) => Promise<unknown>): Promise<void> {
    const waiting = calls.values()
    const failures: unknown[] = []
    async function endNext(): Promise<void> {
      for (const call of waiting) await end(call).catch((error: unknown) => failures.push(error))
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, endNext))
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} calls could not be ended.`)
  }

  async function endLost(nodeId: string): Promise<void> {
    await database.batch([returnCallsOf(database, nodeId), releaseSlotsOf(nodeId)])
    for (;;) {
      const calls = await callsOfNode(read, nodeId, BATCH_SIZE)
      await endEach(calls, async (call) => {
        const startedAtMs = call.started_at ?? clock.now()
        const last = (await readEvents(read, call.call_id)).at(-1)
        const recording = await finalizeRecording(call.call_id)
        const endedAtMs = Math.max(
          last === undefined ? startedAtMs : Date.parse(last.at),
          startedAtMs + (recording?.durationMs ?? 0),
        )
        await callEnder.end(call, { reason: 'error_node_lost', endedAtMs })
      })
      if (calls.length < BATCH_SIZE) return
    }
  }

  return {
    endLost,

    async endAllLost() {
      for (const nodeId of await nodesWithCalls(read)) {
        if (nodeId !== nodes.nodeId && !(await nodes.isAlive(nodeId))) await endLost(nodeId)
      }
    },

    async expireOverdue(signal) {
      while (signal?.aborted !== true) {
        const now = clock.now()
        const calls = await overdueCalls(read, { now, claimedBeforeMs: now - JOIN_GRACE_MS, limit: BATCH_SIZE })
        await endEach(calls, (call) =>
          callEnder.end(call, { reason: 'registered_call_timeout', endedAtMs: call.expires_at ?? now }),
        )
        if (calls.length < BATCH_SIZE) return
      }
    },
  }
}
