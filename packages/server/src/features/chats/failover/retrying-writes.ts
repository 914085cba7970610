import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'

const RETRY_MS = 500
/** How long to retry a write. A database restart or failover usually takes less time. */
export const OUTAGE_TIMEOUT_MS = 60_000

interface WriteChecks {
  /** Whether an earlier attempt was committed although its response was lost. */
  isCommitted(): Promise<boolean>
  /** Whether the write must not wait for the database. */
  isUrgent(): boolean
}

/** Writes turns despite short database outages. */
export interface TurnWriter {
  write(statements: readonly BatchStatement[], checks: WriteChecks): Promise<void>
}

/** Creates a writer that never retries. An embedded database has no outages. */
export function createSingleAttemptWriter(database: Pick<Database, 'batch'>): TurnWriter {
  return { write: (statements) => database.batch(statements) }
}

/** Creates a writer that retries for up to a minute during a database outage. Other errors are thrown immediately. */
export function createRetryingWriter(database: Pick<Database, 'batch'>, clock: Clock): TurnWriter {
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
          // The attempt may have been committed after the check.
          if (!isOutage(error) && isUncertain && (await isCommitted())) return
          if (!isOutage(error) || isUrgent() || clock.now() >= deadlineMs) throw error
          isUncertain = true
        }
        await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
      }
    },
  }
}

/** Whether the database was unreachable, so that a retry can succeed. */
export function isOutage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}

/** Whether the stored turn matches the expected result of a write. */
export async function isTurnStored(
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
  const messageQuery = reader.selectFrom('messages').select('message_id').where('message_id', '=', messageId)
  return (await messageQuery.executeTakeFirst()) !== undefined
}
