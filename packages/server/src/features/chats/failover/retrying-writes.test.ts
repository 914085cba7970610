import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'
import { createRetryingWriter, createSingleAttemptWriter, OUTAGE_TIMEOUT_MS } from './retrying-writes.ts'

const createOutage = () => new AppError('unavailable', 'The database cannot be reached.')

/** Creates a database that throws the given errors. `null` is a success. Attempts after the last response fail. */
function createScriptedDatabase(...responses: (Error | null)[]) {
  let attemptCount = 0
  const batch = async (): Promise<void> => {
    const response = responses[attemptCount] === undefined ? createOutage() : responses[attemptCount]
    attemptCount += 1
    if (response !== null && response !== undefined) throw response
  }
  return { batch, getAttemptCount: () => attemptCount }
}

async function write(
  database: ReturnType<typeof createScriptedDatabase>,
  options: { isCommitted?: boolean; isUrgent?: boolean } = {},
) {
  const time = createManualClock()
  const pendingWrite = createRetryingWriter(database, time.clock).write([], {
    isCommitted: async () => options.isCommitted ?? false,
    isUrgent: () => options.isUrgent ?? false,
  })
  const result = pendingWrite.then(
    () => 'written',
    (error: unknown) => error,
  )
  await time.advance(2 * OUTAGE_TIMEOUT_MS)
  expect(time.countPendingTimers()).toBe(0)
  return await result
}

test('writes once when the database is available again', async () => {
  const database = createScriptedDatabase(createOutage(), createOutage(), null)
  expect(await write(database)).toBe('written')
  expect(database.getAttemptCount()).toBe(3)
})

test('does not write again after a commit whose response was lost', async () => {
  const database = createScriptedDatabase(createOutage(), null)
  expect(await write(database, { isCommitted: true })).toBe('written')
  expect(database.getAttemptCount()).toBe(1)
})

test('throws a conflict immediately', async () => {
  const conflict = new BatchConflictError(1)
  const database = createScriptedDatabase(conflict, null)
  expect(await write(database)).toBe(conflict)
})

test('retries for at most a minute, and never retries an urgent or single-attempt write', async () => {
  expect(await write(createScriptedDatabase())).toMatchObject({ code: 'unavailable' })
  const database = createScriptedDatabase(createOutage(), null)
  expect(await write(database, { isUrgent: true })).toMatchObject({ code: 'unavailable' })
  expect(database.getAttemptCount()).toBe(1)
  const failingDatabase = createScriptedDatabase(createOutage(), null)
  const attempts = { isCommitted: async () => false, isUrgent: () => false }
  await expect(createSingleAttemptWriter(failingDatabase).write([], attempts)).rejects.toMatchObject({
    code: 'unavailable',
  })
})
