import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { JobHandler, JobQueue, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { type CallRow, LIVE_STATUSES } from '../../../tables/call-tables.ts'
import {
  createMinuteJob,
  FAILURE_DELAY_MS,
  LOST_JOB_DELAY_MS,
  MAX_PER_BATCH,
  type MinuteJob,
  runDueWork,
} from '../due-work.ts'
import {
  type CallAnalysisDependencies,
  type CallAnalysisService,
  createCallAnalysisService,
} from './call-analysis-service.ts'
import type { CallLifecycle } from './call-lifecycle.ts'
import { CALL_ENDED_JOB, createFinalizeCallHandler } from './finalize-call.ts'

interface CallPostProcessingDependencies extends CallAnalysisDependencies {
  readonly lifecycle: Pick<CallLifecycle, 'onRemoved'>
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
}

/** Job handlers and recurring jobs for ended calls. */
interface CallPostProcessing {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analysisService: CallAnalysisService
}

export function createCallPostProcessing(dependencies: CallPostProcessingDependencies): CallPostProcessing {
  const dueCalls = createDueCallsJob(dependencies)
  return {
    handlers: {
      [CALL_ENDED_JOB]: createFinalizeCallHandler(dependencies),
      ...dueCalls.handlers,
    },
    schedules: dueCalls.schedules,
    analysisService: createCallAnalysisService(dependencies),
  }
}

interface DueCallsDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
  readonly lifecycle: Pick<CallLifecycle, 'onRemoved'>
}

/** Creates a job that runs every minute, replaces lost jobs and deletes calls whose retention has expired. */
function createDueCallsJob(dependencies: DueCallsDependencies): MinuteJob {
  return createMinuteJob('look-after-calls', (signal) => processDueCalls(dependencies, signal))
}

type DueCall = Pick<CallRow, 'call_id' | 'workspace_id' | 'stored_as' | 'due_at'>

/** Processes all due calls. If some fail, throws the first error after processing the others. */
export async function processDueCalls(dependencies: DueCallsDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const now = clock.now()
  const buildRescheduleStatement = (call: DueCall, dueAt: number): BatchStatement => {
    // Has no effect if another writer has changed the due time.
    const query = database.queryBuilder
      .updateTable('calls')
      .set({ due_at: dueAt })
      .where('call_id', '=', call.call_id)
      .where('due_at', '=', call.due_at)
    return { query: query.compile() }
  }
  await runDueWork<DueCall>(
    {
      find: () => findDueCalls(database, now),
      postpone: (call) => database.batch([buildRescheduleStatement(call, now + FAILURE_DELAY_MS)]),
      async process(call) {
        if (call.stored_as === null) {
          const payload = { callId: call.call_id }
          const job = dependencies.jobs.buildEnqueueStatement({
            kind: CALL_ENDED_JOB,
            payload,
            workspaceId: call.workspace_id,
          })
          return await database.batch([buildRescheduleStatement(call, now + LOST_JOB_DELAY_MS), job])
        }
        await deleteCall(dependencies, call)
      },
    },
    signal,
  )
}

/** Finds calls whose due time has passed. Skips live calls, which are handled elsewhere. */
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

/** Deletes a call and its events. */
async function deleteCall({ database, lifecycle }: DueCallsDependencies, call: DueCall): Promise<void> {
  const query = database.queryBuilder
    .deleteFrom('calls')
    .where('call_id', '=', call.call_id)
    .where('due_at', '=', call.due_at)
    .where('stored_as', 'is not', null)
    .where('status', 'not in', LIVE_STATUSES)
  try {
    await database.batch([{ query: query.compile(), expectRows: 1 }, ...lifecycle.onRemoved(call)])
  } catch (error) {
    // Another writer has deleted the call or changed its due time.
    if (!(error instanceof BatchConflictError)) throw error
  }
}
