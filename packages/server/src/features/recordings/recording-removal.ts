import { z } from 'zod'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Transaction } from '../../kernel/storage/database.ts'
import type { JobHandler, JobQueue, NewJob } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { RecordingService } from './recording-service.ts'
import { findJoinedCallIds, findRecordedCall, isReadable } from './recording-service.ts'

const REMOVE_RECORDINGS_JOB = 'forget-recordings'
const Payload = z.object({ callIds: z.array(z.string()), looksAgain: z.boolean() })
type Payload = z.output<typeof Payload>

/** Calls per job, to limit the duration of a job. */
const CALL_BATCH_SIZE = 500
/** The maximum value of the column, because the job is retried until the audio is deleted. */
const MAX_ATTEMPTS = 2_147_483_647
/** After this delay, nodes that were writing during the removal have finished or crashed. */
const RECHECK_DELAY_MS = 3_600_000

/** Deletes recordings of deleted calls and of calls whose audio must not be stored. */
export interface RecordingRemoval {
  /** Builds the statement that schedules a deletion. Commit it together with the change that requires the deletion. */
  buildRemovalStatement(callId: string): BatchStatement
  /**
   * Schedules the deletion of all recordings in a workspace. Call in the transaction that deletes the workspace, before the
   * calls are deleted.
   */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
  /** Deletes audio that was stored after the recording was removed. Call when this node stops recording a call. */
  removeLateAudio(callId: string): Promise<void>
  readonly handlers: Readonly<Record<string, JobHandler>>
}

interface RecordingRemovalDependencies {
  readonly database: Pick<Database, 'read' | 'batch'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: JobQueue
  readonly recordings: Pick<RecordingService, 'removeAll'>
}

export function createRecordingRemoval(dependencies: RecordingRemovalDependencies): RecordingRemoval {
  const { database, clock, jobs, recordings } = dependencies
  const buildRemovalStatement = (callId: string): BatchStatement =>
    jobs.buildEnqueueStatement(buildRemovalJob({ callIds: [callId], looksAgain: true }))

  async function runRemoval(payload: Payload, signal: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const callId of payload.callIds) {
      signal.throwIfAborted()
      await recordings.removeAll(callId).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} recordings could not be deleted.`)
    if (!payload.looksAgain) return
    const recheckJob = buildRemovalJob({ ...payload, looksAgain: false })
    await database.batch([jobs.buildEnqueueStatement({ ...recheckJob, runAt: clock.now() + RECHECK_DELAY_MS })])
  }

  return {
    buildRemovalStatement,

    async removeAllInWorkspace(transaction, workspaceId) {
      const callIds = await findJoinedCallIds(transaction, workspaceId)
      for (const callIdBatch of splitIntoChunks(callIds, CALL_BATCH_SIZE)) {
        await jobs.enqueue(transaction, buildRemovalJob({ callIds: callIdBatch, looksAgain: true }))
      }
    },

    async removeLateAudio(callId) {
      if (!isReadable(await findRecordedCall(database.read, callId)))
        await database.batch([buildRemovalStatement(callId)])
    },

    handlers: {
      [REMOVE_RECORDINGS_JOB]: { run: async ({ payload }, signal) => await runRemoval(Payload.parse(payload), signal) },
    },
  }
}

function buildRemovalJob(payload: Payload): NewJob {
  return { kind: REMOVE_RECORDINGS_JOB, payload, maxAttempts: MAX_ATTEMPTS }
}
