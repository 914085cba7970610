import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { type CallRow, LIVE_STATUSES } from '../../../tables/call-tables.ts'
import {
  FAILURE_DELAY_MS,
  LOST_JOB_DELAY_MS,
  MAX_PER_BATCH,
  type MinuteJob,
  minuteJob,
  runDueWork,
} from '../due-work.ts'
import type { CallLifecycle } from './call-lifecycle.ts'
import { CALL_ENDED } from './finalize-call.ts'

export interface DueCallsDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly lifecycle: Pick<CallLifecycle, 'removed'>
}

/** Every minute: makes up for lost jobs, deletes what is not to be kept any longer. */
export function createDueCalls(dependencies: DueCallsDependencies): MinuteJob {
  return minuteJob('look-after-calls', (signal) => processDueCalls(dependencies, signal))
}

type DueCall = Pick<CallRow, 'call_id' | 'workspace_id' | 'stored_as' | 'due_at'>

/** Looks after every call that is over and due now. Throws the first failure, once all others were looked after. */
export async function processDueCalls(dependencies: DueCallsDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const now = clock.now()
  const reschedule = (call: DueCall, at: number): BatchStatement => {
    // Only where nobody else has set another time.
    const query = database.compile
      .updateTable('calls')
      .set({ due_at: at })
      .where('call_id', '=', call.call_id)
      .where('due_at', '=', call.due_at)
    return { query: query.compile() }
  }
  await runDueWork<DueCall>(
    {
      find: () => findDueCalls(database, now),
      postpone: (call) => database.batch([reschedule(call, now + FAILURE_DELAY_MS)]),
      async processDue(call) {
        if (call.stored_as === null) {
          const payload = { callId: call.call_id }
          const job = dependencies.jobs.statement({ kind: CALL_ENDED, payload, workspaceId: call.workspace_id })
          return await database.batch([reschedule(call, now + LOST_JOB_DELAY_MS), job])
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
    .limit(MAX_PER_BATCH)
    .execute()
}

/** Takes its record with it. */
async function deleteCall({ database, lifecycle }: DueCallsDependencies, call: DueCall): Promise<void> {
  const query = database.compile
    .deleteFrom('calls')
    .where('call_id', '=', call.call_id)
    .where('due_at', '=', call.due_at)
    .where('stored_as', 'is not', null)
    .where('status', 'not in', LIVE_STATUSES)
  try {
    await database.batch([{ query: query.compile(), expectRows: 1 }, ...lifecycle.removed(call)])
  } catch (error) {
    // Somebody was faster, or has set another time.
    if (!(error instanceof BatchConflictError)) throw error
  }
}
