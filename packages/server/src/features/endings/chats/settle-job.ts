import type { Job, JobHandler, JobQueue } from '../../../kernel/jobs.ts'
import { asksModelsAt, SETTLE_ATTEMPTS, withholdsAt } from '../settle-attempts.ts'
import { type SettleDependencies, settleChat } from './settle-chat.ts'

/** Kind of the jobs that do what is left to do about a chat that is over. */
export const CHAT_ENDED = 'chat-ended'

/** How soon a chat is looked at again whose last turn still runs. */
const BUSY_MS = 1_000
const LONGEST_BUSY_MS = 60_000

export interface SettleJobDependencies extends SettleDependencies {
  readonly jobs: Pick<JobQueue, 'statement'>
}

export function createSettleHandler(dependencies: SettleJobDependencies): JobHandler {
  const { database, clock, jobs } = dependencies
  return {
    ...SETTLE_ATTEMPTS,
    async run(job, signal) {
      const { chatId, waits } = readPayload(job)
      const { attempt } = job
      const options = { asksModels: asksModelsAt(attempt), withholds: withholdsAt(attempt), signal }
      const settlement = await settleChat(dependencies, chatId, options)
      if (settlement === 'done') return
      const runAt = clock.now() + Math.min(LONGEST_BUSY_MS, BUSY_MS * 2 ** waits)
      const again = { kind: CHAT_ENDED, payload: { chatId, waits: waits + 1 }, runAt }
      const { workspaceId } = job
      await database.batch([jobs.statement({ ...again, ...(workspaceId !== undefined && { workspaceId }) })])
    },
  }
}

function readPayload({ payload }: Job): { chatId: string; waits: number } {
  const { chatId, waits } = payload as { chatId?: unknown; waits?: unknown }
  return { chatId: String(chatId), waits: typeof waits === 'number' ? Math.min(waits, 20) : 0 }
}
