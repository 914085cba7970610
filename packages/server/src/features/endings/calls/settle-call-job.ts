import type { Job, JobHandler } from '../../../kernel/jobs.ts'
import { asksModelsAt, SETTLE_ATTEMPTS, withholdsAt } from '../settle-attempts.ts'
import { type SettleCallDependencies, settleCall } from './settle-call.ts'

/** Kind of the jobs that do what is left to do about a call that is over. */
export const CALL_ENDED = 'call-ended'

export function createSettleCallHandler(dependencies: SettleCallDependencies): JobHandler {
  return {
    ...SETTLE_ATTEMPTS,
    async run(job, signal) {
      const { attempt } = job
      const options = { asksModels: asksModelsAt(attempt), withholds: withholdsAt(attempt), signal }
      await settleCall(dependencies, readCallId(job), options)
    },
  }
}

function readCallId({ payload }: Job): string {
  return String((payload as { readonly callId?: unknown }).callId)
}
