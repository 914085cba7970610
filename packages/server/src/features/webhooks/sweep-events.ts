import type { Database, Transaction } from '../../kernel/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/jobs.ts'
import type { SharedClock } from '../../kernel/shared-clock.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** So few that nobody waits for long behind them: each takes its deliveries and their attempts with it. */
const DELETED_AT_ONCE = 200
const KIND = 'sweep-webhook-events'

/** Deletes events, their deliveries and attempts after 30 days. */
export function createWebhookSweep(
  database: Pick<Database, 'transaction'>,
  clock: Omit<SharedClock, 'after'>,
): { readonly handlers: Readonly<Record<string, JobHandler>>; readonly schedules: readonly JobSchedule[] } {
  const run: JobHandler['run'] = async (_job, signal) => {
    const until = clock.now() - KEPT_MS
    let deleted = DELETED_AT_ONCE
    while (deleted === DELETED_AT_ONCE && !signal.aborted) {
      deleted = await database.transaction((transaction) => deleteEvents(transaction, until))
    }
  }
  return { handlers: { [KIND]: { run } }, schedules: [{ name: KIND, pattern: '47 * * * *', kind: KIND, payload: {} }] }
}

async function deleteEvents(transaction: Transaction, until: number): Promise<number> {
  const oldest = transaction
    .selectFrom('webhook_events')
    .select('event_id')
    .where('created_at', '<=', until)
    .orderBy('created_at')
    .limit(DELETED_AT_ONCE)
  const deleted = await transaction.deleteFrom('webhook_events').where('event_id', 'in', oldest).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
