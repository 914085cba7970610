import type { JobHandler, JobQueue, JobSchedule } from '../../../kernel/work/jobs.ts'
import {
  type CallAnalysisDependencies,
  type CallAnalysisService,
  createCallAnalysisService,
} from './call-analysis-service.ts'
import type { CallLifecycle } from './call-lifecycle.ts'
import { createDueCalls } from './due-calls.ts'
import { CALL_ENDED, createFinalizeCallHandler } from './finalize-call.ts'

export interface CallPostProcessingDependencies extends CallAnalysisDependencies {
  readonly lifecycle: Pick<CallLifecycle, 'removed'>
  readonly jobs: Pick<JobQueue, 'statement'>
}

/** All work that is done about calls once they are over. */
export interface CallPostProcessing {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analysisService: CallAnalysisService
}

export function createCallPostProcessing(dependencies: CallPostProcessingDependencies): CallPostProcessing {
  const due = createDueCalls(dependencies)
  return {
    handlers: {
      [CALL_ENDED]: createFinalizeCallHandler(dependencies),
      ...due.handlers,
    },
    schedules: due.schedules,
    analysisService: createCallAnalysisService(dependencies),
  }
}
