import type { Job, JobHandler, JobQueue } from '../../kernel/jobs.ts'
import { type SettleDependencies, settleChat } from './settle-chat.ts'

/** Kind of the jobs that do what is left to do about a chat that is over. */
export const CHAT_ENDED = 'chat-ended'

/** Models that cannot be asked so often are not asked any more: the storage setting must not wait for them. */
const MODEL_ATTEMPTS = 5
/** About a quarter of an hour in all; from then on rules find out what they can, at once. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_000] as const
const LATER_RETRY_MS = 300_000
/** Two answers of each of a few models. */
const TIMEOUT_MS = 1_200_000
/** How soon a chat is looked at again whose last turn still runs. */
const BUSY_MS = 1_000
const LONGEST_BUSY_MS = 60_000

export interface SettleJobDependencies extends SettleDependencies {
  readonly jobs: Pick<JobQueue, 'statement'>
}

export function createSettleHandler(dependencies: SettleJobDependencies): JobHandler {
  const { database, clock, jobs } = dependencies
  return {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs: (attempt) => RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_MS,
    async run(job, signal) {
      const { chatId, waits } = readPayload(job)
      const settlement = await settleChat(dependencies, chatId, { asksModels: job.attempt <= MODEL_ATTEMPTS, signal })
      if (settlement === 'done') return
      const runAt = clock.now() + Math.min(LONGEST_BUSY_MS, BUSY_MS * 2 ** waits)
      await database.batch([jobs.statement({ kind: CHAT_ENDED, payload: { chatId, waits: waits + 1 }, runAt })])
    },
  }
}

function readPayload({ payload }: Job): { chatId: string; waits: number } {
  const { chatId, waits } = payload as { chatId?: unknown; waits?: unknown }
  return { chatId: String(chatId), waits: typeof waits === 'number' ? Math.min(waits, 20) : 0 }
}
