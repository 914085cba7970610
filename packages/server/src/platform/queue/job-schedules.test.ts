import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { startJobSchedules } from './job-queue.ts'

const MINUTE_MS = 60_000
const EVERY_MINUTE = { name: 'tick', pattern: '* * * * *', kind: 'tick', payload: {} }

test('a paused process runs a missed job once', async () => {
  await using database = await temporaryDatabase()
  const time = createManualClock()
  let pausedMs = 0
  const clock = { now: () => time.clock.now() + pausedMs, after: time.clock.after }
  const writes: Promise<void>[] = []
  const stop = startJobSchedules({
    database: {
      queryBuilder: database.queryBuilder,
      batch: (statements) => {
        const write = database.batch(statements)
        writes.push(write)
        return write
      },
    },
    clock: createSharedClock(clock),
    schedules: [EVERY_MINUTE],
    logError: (name, error) => {
      throw new Error(name, { cause: error })
    },
  })
  const startedAt = clock.now()
  // Its timers do not run.
  pausedMs = 100 * MINUTE_MS
  await time.advance(MINUTE_MS)
  await time.advance(MINUTE_MS)
  stop()
  await Promise.all(writes)
  const jobs = await database.read.selectFrom('jobs').select('run_at').orderBy('run_at').execute()
  expect(jobs.map(({ run_at }) => (run_at - startedAt) / MINUTE_MS)).toEqual([1, 102, 103])
})
