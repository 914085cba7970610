import type { JobHandler, JobQueue, JobSchedule } from '../../../kernel/work/jobs.ts'
import {
  type CallAnalysisDependencies,
  type CallAnalysisService,
  createCallAnalysisService,
} from './call-analysis-service.ts'
import type { CallEndings } from './call-endings.ts'
import { createDueCalls } from './due-calls.ts'
import { CALL_ENDED, createSettleCallHandler } from './settle-call.ts'

export interface AfterCallsDependencies extends CallAnalysisDependencies {
  readonly endings: Pick<CallEndings, 'removed'>
  readonly jobs: Pick<JobQueue, 'statement'>
}

/** All work that is done about calls once they are over. */
export interface AfterCalls {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analyses: CallAnalysisService
}

export function createAfterCalls(dependencies: AfterCallsDependencies): AfterCalls {
  const due = createDueCalls(dependencies)
  return {
    handlers: {
      [CALL_ENDED]: createSettleCallHandler(dependencies),
      ...due.handlers,
    },
    schedules: due.schedules,
    analyses: createCallAnalysisService(dependencies),
  }
}
