import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'
import { createRetryingWrites, createSingleAttemptWrites, OUTAGE_TIMEOUT_MS } from './retrying-writes.ts'

const outage = () => new AppError('unavailable', 'The database cannot be reached.')

/** Creates a scripted database. Errors are thrown, `null` succeeds, and every attempt after the script fails. */
function scripted(...answers: (Error | null)[]) {
  let tries = 0
  const batch = async (): Promise<void> => {
    const answer = answers[tries] === undefined ? outage() : answers[tries]
    tries += 1
    if (answer !== null && answer !== undefined) throw answer
  }
  return { batch, tries: () => tries }
}

async function write(
  database: ReturnType<typeof scripted>,
  options: { isCommitted?: boolean; isUrgent?: boolean } = {},
) {
  const time = createManualClock()
  const writing = createRetryingWrites(database, time.clock).write([], {
    isCommitted: async () => options.isCommitted ?? false,
    isUrgent: () => options.isUrgent ?? false,
  })
  const ended = writing.then(
    () => 'written',
    (error: unknown) => error,
  )
  await time.advance(2 * OUTAGE_TIMEOUT_MS)
  expect(time.pendingTimers()).toBe(0)
  return await ended
}

test('writes once when the database comes back', async () => {
  const database = scripted(outage(), outage(), null)
  expect(await write(database)).toBe('written')
  expect(database.tries()).toBe(3)
})

test('does not write again after a commit whose response was lost', async () => {
  const database = scripted(outage(), null)
  expect(await write(database, { isCommitted: true })).toBe('written')
  expect(database.tries()).toBe(1)
})

test('throws a conflict at once', async () => {
  const conflict = new BatchConflictError(1)
  const database = scripted(conflict, null)
  expect(await write(database)).toBe(conflict)
})

test('retries for at most a minute, and not at all without a chance of success', async () => {
  expect(await write(scripted())).toMatchObject({ code: 'unavailable' })
  const database = scripted(outage(), null)
  expect(await write(database, { isUrgent: true })).toMatchObject({ code: 'unavailable' })
  expect(database.tries()).toBe(1)
  const once = scripted(outage(), null)
  const attemptState = { isCommitted: async () => false, isUrgent: () => false }
  await expect(createSingleAttemptWrites(once).write([], attemptState)).rejects.toMatchObject({ code: 'unavailable' })
})
