import type { Job, JobHandler } from '../../../kernel/jobs.ts'
import { asksModelsAt, SETTLE_ATTEMPTS } from '../settle-attempts.ts'
import { type SettleCallDependencies, settleCall } from './settle-call.ts'

/** Kind of the jobs that do what is left to do about a call that is over. */
export const CALL_ENDED = 'call-ended'

export function createSettleCallHandler(dependencies: SettleCallDependencies): JobHandler {
  return {
    ...SETTLE_ATTEMPTS,
    async run(job, signal) {
      await settleCall(dependencies, readCallId(job), { asksModels: asksModelsAt(job.attempt), signal })
    },
  }
}

function readCallId({ payload }: Job): string {
  return String((payload as { readonly callId?: unknown }).callId)
}
