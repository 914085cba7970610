import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'

/** Between two attempts. */
const RETRY_MS = 500
/** A database that restarts or fails over is back by then; people have long given up. */
export const OUTAGE_TIMEOUT_MS = 60_000

export interface WriteAttempts {
  /** Whether an earlier attempt was committed although its answer was lost. */
  isCommitted(): Promise<boolean>
  /** There is no time to wait for the database. */
  isUrgent(): boolean
}

/** Writes of turns, of which nothing may be lost because the database is away for a while. */
export interface RetryingWrites {
  write(statements: readonly BatchStatement[], attempts: WriteAttempts): Promise<void>
}

/** One attempt: the database of an embedded installation does not come back by itself. */
export function createSingleAttemptWrites(database: Pick<Database, 'batch'>): RetryingWrites {
  return { write: (statements) => database.batch(statements) }
}

/** Retries while the database cannot be reached, at most a minute. Conflicts and mistakes are thrown at once. */
export function createRetryingWrites(database: Pick<Database, 'batch'>, clock: Clock): RetryingWrites {
  return {
    async write(statements, { isCommitted, isUrgent }) {
      const deadlineMs = clock.now() + OUTAGE_TIMEOUT_MS
      let isUncertain = false
      for (;;) {
        try {
          if (isUncertain && (await isCommitted())) return
          await database.batch(statements)
          return
        } catch (error) {
          // The attempt whose answer was lost may have been committed after the question.
          if (!isOutage(error) && isUncertain && (await isCommitted())) return
          if (!isOutage(error) || isUrgent() || clock.now() >= deadlineMs) throw error
          isUncertain = true
        }
        await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
      }
    },
  }
}

/** Whether the database could not be reached, so that the same can succeed later. */
export function isOutage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}

/** Whether a turn has come as far as a write was to bring it. */
export async function isStored(
  reader: Reader,
  expected: { turnId: string; nodeId: string; status: string; messageId: string | null },
): Promise<boolean> {
  const { turnId, nodeId, status, messageId } = expected
  const turn = await reader
    .selectFrom('turns')
    .select(['status', 'node_id'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  if (turn?.status !== status || turn.node_id !== nodeId) return false
  if (messageId === null) return true
  const message = reader.selectFrom('messages').select('message_id').where('message_id', '=', messageId)
  return (await message.executeTakeFirst()) !== undefined
}
