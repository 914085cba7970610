import { z } from 'zod'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Transaction } from '../../kernel/storage/database.ts'
import type { JobHandler, JobQueue, NewJob } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { RecordingService } from './recording-service.ts'
import { findRecordedCall, isReadable, joinedCallsOf } from './recording-service.ts'

const REMOVE_RECORDINGS_JOB = 'forget-recordings'
const Payload = z.object({ callIds: z.array(z.string()), looksAgain: z.boolean() })
type Payload = z.output<typeof Payload>

/** Per job: few enough to be removed in time. */
const CALL_BATCH_SIZE = 500
/** The column's maximum. Retries hourly while the disk is unavailable, because audio must not stay. */
const MAX_ATTEMPTS = 2_147_483_647
/** Nodes that were writing at the removal have finished or died by then. */
const RECHECK_DELAY_MS = 3_600_000

/** Deletes recordings of deleted calls and of calls that may not store audio. */
export interface RecordingRemoval {
  /** Commit together with the reason: the recording is then deleted reliably. */
  remove(callId: string): BatchStatement
  /** The same for all calls of a workspace, whose rows must still exist, in the transaction that deletes it. */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
  /** Call when this node stops writing a call: deletes late audio of a removed recording. */
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
  const remove = (callId: string): BatchStatement => jobs.statement(jobFor({ callIds: [callId], looksAgain: true }))

  async function run(payload: Payload, signal: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const callId of payload.callIds) {
      signal.throwIfAborted()
      await recordings.removeAll(callId).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} recordings could not be deleted.`)
    if (!payload.looksAgain) return
    const again = jobFor({ ...payload, looksAgain: false })
    await database.batch([jobs.statement({ ...again, runAt: clock.now() + RECHECK_DELAY_MS })])
  }

  return {
    remove,

    async removeAllInWorkspace(transaction, workspaceId) {
      const callIds = await joinedCallsOf(transaction, workspaceId)
      for (const some of splitIntoChunks(callIds, CALL_BATCH_SIZE)) {
        await jobs.enqueue(transaction, jobFor({ callIds: some, looksAgain: true }))
      }
    },

    async removeUnretained(callId) {
      if (!isReadable(await findRecordedCall(database.read, callId))) await database.batch([remove(callId)])
    },

    handlers: {
      [REMOVE_RECORDINGS_JOB]: { run: async ({ payload }, signal) => await run(Payload.parse(payload), signal) },
    },
  }
}

function jobFor(payload: Payload): NewJob {
  return { kind: REMOVE_RECORDINGS_JOB, payload, maxAttempts: MAX_ATTEMPTS }
}
