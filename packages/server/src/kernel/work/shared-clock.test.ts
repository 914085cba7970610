import type { Clock } from '@parley/engine/ports'
import { manualClock } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { type SharedClock, shareClock } from './shared-clock.ts'

test('the time of the process and that of the installation are not interchangeable', async () => {
  const { clock, advance } = manualClock()
  const shared = shareClock(clock)
  // @ts-expect-error The shared time does not measure what this process does.
  const own: Clock = shared
  // @ts-expect-error The time of a process says nothing to other nodes.
  const asShared: SharedClock = clock
  // @ts-expect-error A part of one is not a part of the other either.
  const now: Omit<Clock, 'after'> = shared
  await advance(1_000)
  expect([own.now(), asShared.now(), now.now()]).toEqual([clock.now(), clock.now(), clock.now()])
})
