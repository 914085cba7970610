import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { StoredCall } from '../call-responses.ts'
import { readEvents } from '../records/event-store.ts'
import type { CallEnder } from './call-ender.ts'
import { callsOfNode, nodesWithCalls, overdueCalls, returnCallsOf } from './state-store.ts'

/** Calls that are ended in one go before the next are looked for. */
const BATCH_SIZE = 100
/** Ends are written: a node may have held hundreds, and all are to be over some seconds after it was found dead. */
const CONCURRENCY = 4
/** Letting a caller in takes no longer. */
const JOIN_GRACE_MS = 60_000

export interface LostCallRecoveryDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly callEnder: Pick<CallEnder, 'end'>
  /** Tidies up the recording of a call that nobody writes any more; tells how long it is, null when there is none. */
  readonly finalizeRecording: (callId: string) => Promise<{ readonly durationMs: number } | null>
  /** Gives back all slots that a node holds. */
  readonly releaseSlotsOf: (nodeId: string) => BatchStatement
}

/** Calls that nobody ends who holds them. */
export interface LostCallRecovery {
  /** Ends the calls of a node that is dead, at their last event or the end of what was recorded. Its slots are free, and tokens that it had taken work again. */
  endLost(nodeId: string): Promise<void>
  /** The same for every node that is dead, noticed or not: at the start, and now and then. */
  endAllLost(): Promise<void>
  /** Ends calls whose caller did not come in time. */
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

  /** A call that cannot be ended keeps no other from its end; then this rejects. */
  async function endEach(calls: readonly StoredCall[], end: (call: StoredCall) => Promise<unknown>): Promise<void> {
    const waiting = calls.values()
    const failures: unknown[] = []
    async function endNext(): Promise<void> {
      for (const call of waiting) await end(call).catch((error: unknown) => failures.push(error))
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, endNext))
    if (failures.length > 0) throw new AggregateError(failures, `Calls could not be ended: ${failures.length}.`)
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
