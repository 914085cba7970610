import { type DisconnectionReason, getFinalStatus } from '@parley/contract/disconnection-reason'
import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { LeaseReservations } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { type AgentPathEntry, type CallEventRow, isLive } from '../../../tables/call-tables.ts'
import type { CallEvents } from '../call-events.ts'
import type { StoredCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import { buildTranscript, collectHandoffs, collectVariables, computeLatency, sumUsage } from '../records/call-stats.ts'
import { buildInsertStatement, readEvents } from '../records/event-store.ts'
import { buildEndStatement } from './state-store.ts'

export interface EndCallOptions {
  readonly reason: DisconnectionReason
  /** Defaults to the current time. */
  readonly endedAtMs?: number
  /** Overrides variables collected in the journal. */
  readonly collectedVariables?: Readonly<Record<string, string>>
}

export interface CallEnder {
  /**
   * Ends a call and schedules its post-processing in one transaction. Returns false if the call has ended or its row
   * changed. Close the journal first.
   */
  end(call: StoredCall, options: EndCallOptions): Promise<boolean>
  /** Ends a call by id. Also returns false if the call does not exist. */
  endById(callId: string, options: EndCallOptions): Promise<boolean>
}

interface CallEnderDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly events: Pick<CallEvents, 'onEnded'>
  readonly reservations: Pick<LeaseReservations, 'buildCancelStatement'>
  /** Returns the layout of a call's recording, or null if there is no recording. */
  readonly describeRecording: (callId: string) => Promise<object | null>
  /** Wakes the followers of calls. */
  readonly onWritten: (callIds: ReadonlySet<string>) => void
}

export function createCallEnder(dependencies: CallEnderDependencies): CallEnder {
  const { database, clock, events, reservations, describeRecording, onWritten } = dependencies

  async function end(call: StoredCall, { reason, endedAtMs, collectedVariables }: EndCallOptions): Promise<boolean> {
    if (!isLive(call)) return false
    const recordedEvents = await readEvents(database.read, call.call_id)
    const lastEvent = recordedEvents.at(-1)
    const wasJoined = call.started_at !== null
    const ended_at = endedAtMs ?? clock.now()
    const duration_ms = call.started_at === null ? null : Math.max(0, ended_at - call.started_at)
    const status = getFinalStatus(reason, wasJoined)
    const agentPath = [
      ...(JSON.parse(call.agent_path) as AgentPathEntry[]).slice(0, 1),
      ...collectHandoffs(recordedEvents),
    ]
    const recording = wasJoined ? await describeRecording(call.call_id) : null
    const columns = {
      status,
      recording: recording === null ? null : JSON.stringify(recording),
      disconnection_reason: reason,
      ended_at,
      duration_ms,
      transcript: buildTranscript(recordedEvents),
      latency: wasJoined ? JSON.stringify(computeLatency(recordedEvents)) : '{}',
      collected_variables: JSON.stringify({ ...collectVariables(recordedEvents), ...collectedVariables }),
      agent_path: JSON.stringify(agentPath),
      now: clock.now(),
    }
    const endEvent: CallEventRow = {
      call_id: call.call_id,
      position: lastEvent === undefined ? 0 : lastEvent.position + 1,
      at_ms: duration_ms ?? 0,
      created_at: ended_at,
      type: 'call-ended',
      content: JSON.stringify({ reason }),
    }
    const notifications = await events.onEnded({ ...call, agent_path: columns.agent_path }, sumUsage(recordedEvents))
    try {
      await database.batch([
        buildEndStatement(database, call, columns),
        buildInsertStatement(database, [endEvent]),
        ...(wasJoined ? [] : [reservations.buildCancelStatement(call.call_id)]),
        ...notifications,
      ])
    } catch (error) {
      if (error instanceof BatchConflictError && error.statement === 0) return false
      throw error
    }
    onWritten(new Set([call.call_id]))
    return true
  }

  async function endById(callId: string, options: EndCallOptions): Promise<boolean> {
    const call = await findCall(database.read, callId)
    return call !== null && (await end(call, options))
  }

  return { end, endById }
}
