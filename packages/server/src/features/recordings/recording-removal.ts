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

/** Calls per job, few enough to be removed in time. */
const CALL_BATCH_SIZE = 500
/** Maximum value of the column. The job retries until the audio is deleted. */
const MAX_ATTEMPTS = 2_147_483_647
/** Delay after which nodes that were writing during the removal have finished or crashed. */
const RECHECK_DELAY_MS = 3_600_000

/** Deletes recordings of deleted calls and of calls that may not store audio. */
export interface RecordingRemoval {
  /** Builds the statement that deletes a recording reliably. Commit it with the change that requires the deletion. */
  buildRemoval(callId: string): BatchStatement
  /**
   * Deletes the recordings of all calls of a workspace. Call in the transaction that deletes the workspace, while the calls
   * still exist.
   */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
  /** Deletes late audio of a removed recording. Call when this node stops writing a call. */
  removeUnretained(callId: string): Promise<void>
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
  const buildRemoval = (callId: string): BatchStatement =>
    jobs.buildEnqueueStatement(buildRemovalJob({ callIds: [callId], looksAgain: true }))

  async function run(payload: Payload, signal: AbortSignal): Promise<void> {
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
    buildRemoval,

    async removeAllInWorkspace(transaction, workspaceId) {
      const callIds = await findJoinedCallIds(transaction, workspaceId)
      for (const callIdBatch of splitIntoChunks(callIds, CALL_BATCH_SIZE)) {
        await jobs.enqueue(transaction, buildRemovalJob({ callIds: callIdBatch, looksAgain: true }))
      }
    },

    async removeUnretained(callId) {
      if (!isReadable(await findRecordedCall(database.read, callId))) await database.batch([buildRemoval(callId)])
    },

    handlers: {
      [REMOVE_RECORDINGS_JOB]: { run: async ({ payload }, signal) => await run(Payload.parse(payload), signal) },
    },
  }
}

function buildRemovalJob(payload: Payload): NewJob {
  return { kind: REMOVE_RECORDINGS_JOB, payload, maxAttempts: MAX_ATTEMPTS }
}
