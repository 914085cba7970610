import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createEndWriter } from './end-writer.ts'

const END = { reason: 'user_hangup', endedAtMs: 5, state: null } as const

/** A database that comes back after so many tries. */
function openWriter(failures: number) {
  const time = manualClock()
  const tries: string[] = []
  const logged: string[] = []
  const writer = createEndWriter({
    clock: time.clock,
    logError: (name) => logged.push(name),
    callEnder: {
      async endById(callId, { reason, endedAtMs }) {
        tries.push(`${callId} ${reason} ${endedAtMs}`)
        if (tries.length <= failures) throw new Error('no database')
        return true
      },
    },
  })
  return { time, tries, logged, writer }
}

test('the end of a call is written once the database is back', async () => {
  const { time, tries, logged, writer } = openWriter(3)
  let isWritten = false
  const written = writer.write('call_a', END).then(() => {
    isWritten = true
  })
  await time.advance(2_999)
  expect(isWritten).toBe(false)
  await time.advance(1)
  await written
  expect(tries).toEqual(Array.from({ length: 4 }, () => 'call_a user_hangup 5'))
  expect(logged).toEqual(['write the end of a call'])
  expect(time.pendingTimers()).toBe(0)
})

test('a process that stops does not wait for a database that stays away', async () => {
  const { time, tries, logged, writer } = openWriter(1_000)
  const written = [writer.write('call_a', END), writer.write('call_b', END)]
  await time.advance(1_500)
  expect(tries).toHaveLength(4)
  writer.giveUp()
  await Promise.all(written)
  await writer.write('call_c', END)
  expect(tries).toHaveLength(7)
  // Once when it went away, and once for each end that is not written.
  expect(logged).toHaveLength(4)
  expect(time.pendingTimers()).toBe(0)
})
