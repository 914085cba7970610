import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { type CallRow, LIVE_STATUSES } from '../../../tables/call-tables.ts'
import { FAILED_MS, LOST_JOB_MS, lookAfterDue, type MinuteJob, MOST_PER_LOOK, minuteJob } from '../look-after.ts'
import type { CallEndings } from './call-endings.ts'
import { CALL_ENDED } from './settle-call.ts'

export interface DueCallsDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly endings: Pick<CallEndings, 'removed'>
}

/** Every minute: makes up for lost jobs, deletes what is not to be kept any longer. */
export function createDueCalls(dependencies: DueCallsDependencies): MinuteJob {
  return minuteJob('look-after-calls', (signal) => lookAfterCalls(dependencies, signal))
}

type DueCall = Pick<CallRow, 'call_id' | 'workspace_id' | 'stored_as' | 'due_at'>

/** Looks after every call that is over and due now. Throws the first failure, once all others were looked after. */
export async function lookAfterCalls(dependencies: DueCallsDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const now = clock.now()
  const lookAgain = (call: DueCall, at: number): BatchStatement => {
    // Only where nobody else has set another time.
    const query = database.compile
      .updateTable('calls')
      .set({ due_at: at })
      .where('call_id', '=', call.call_id)
      .where('due_at', '=', call.due_at)
    return { query: query.compile() }
  }
  await lookAfterDue<DueCall>(
    {
      find: () => findDueCalls(database, now),
      postpone: (call) => database.batch([lookAgain(call, now + FAILED_MS)]),
      async lookAfter(call) {
        if (call.stored_as === null) {
          const payload = { callId: call.call_id }
          const job = dependencies.jobs.statement({ kind: CALL_ENDED, payload, workspaceId: call.workspace_id })
          return await database.batch([lookAgain(call, now + LOST_JOB_MS), job])
        }
        await deleteCall(dependencies, call)
      },
    },
    signal,
  )
}

/** Those that wait for their caller are looked after elsewhere. */
async function findDueCalls({ read }: Pick<Database, 'read'>, now: number): Promise<readonly DueCall[]> {
  return await read
    .selectFrom('calls')
    .select(['call_id', 'workspace_id', 'stored_as', 'due_at'])
    .where('due_at', '<=', now)
    .where('status', 'not in', LIVE_STATUSES)
    .orderBy('due_at')
    .orderBy('call_id')
    .limit(MOST_PER_LOOK)
    .execute()
}

/** Takes its record with it. */
async function deleteCall({ database, endings }: DueCallsDependencies, call: DueCall): Promise<void> {
  const query = database.compile
    .deleteFrom('calls')
    .where('call_id', '=', call.call_id)
    .where('due_at', '=', call.due_at)
    .where('stored_as', 'is not', null)
    .where('status', 'not in', LIVE_STATUSES)
  try {
    await database.batch([{ query: query.compile(), expectRows: 1 }, ...endings.removed(call)])
  } catch (error) {
    // Somebody was faster, or has set another time.
    if (!(error instanceof BatchConflictError)) throw error
  }
}
