import { z } from 'zod'
import type { BatchStatement, Database, Transaction } from '../../kernel/storage/database.ts'
import type { JobHandler, JobQueue, NewJob } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { RecordingService } from './recording-service.ts'
import { findRecordedCall, isReadable, joinedCallsOf } from './recording-store.ts'

const REMOVE_RECORDINGS_JOB = 'forget-recordings'
const Payload = z.object({ callIds: z.array(z.string()), looksAgain: z.boolean() })
type Payload = z.output<typeof Payload>

/** Of one job: few enough to be removed within its time. */
const CALL_BATCH_SIZE = 500
/** As many as a row can tell. There is a try an hour for as long as the disk is away: what is to go must not stay. */
const MAX_ATTEMPTS = 2_147_483_647
/** By then a node that was writing when the recording went has written it, or died. */
const RECHECK_DELAY_MS = 3_600_000

/** Removes recordings of calls that are deleted, or of which nothing may be kept. */
export interface RecordingRemoval {
  /** To be committed with what is the reason for it: from then on the recording goes, whatever fails meanwhile. */
  remove(callId: string): BatchStatement
  /** The same for all calls of a workspace that is deleted in this unit of work; their rows are still there. */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
  /** To be called when this node writes no more of a call: without a recording to keep, what came too late goes as well. */
  removeUnretained(callId: string): Promise<void>
  readonly handlers: Readonly<Record<string, JobHandler>>
}

export interface RecordingRemovalDependencies {
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
    if (failures.length > 0) throw new AggregateError(failures, `Recordings could not be removed: ${failures.length}.`)
    if (!payload.looksAgain) return
    const again = jobFor({ ...payload, looksAgain: false })
    await database.batch([jobs.statement({ ...again, runAt: clock.now() + RECHECK_DELAY_MS })])
  }

  return {
    remove,

    async removeAllInWorkspace(transaction, workspaceId) {
      const callIds = await joinedCallsOf(transaction, workspaceId)
      for (let start = 0; start < callIds.length; start += CALL_BATCH_SIZE) {
        const some = callIds.slice(start, start + CALL_BATCH_SIZE)
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
