import type { Clock } from '@parley/engine/ports'
import { manualClock } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { createSharedClock, type SharedClock } from './shared-clock.ts'

test('process time and shared time are not interchangeable', async () => {
  const { clock, advance } = manualClock()
  const shared = createSharedClock(clock)
  // @ts-expect-error The shared time does not measure this process.
  const own: Clock = shared
  // @ts-expect-error The time of a process means nothing to other nodes.
  const asShared: SharedClock = clock
  // @ts-expect-error Nor does a part of one fit a part of the other.
  const now: Omit<Clock, 'after'> = shared
  await advance(1_000)
  expect([own.now(), asShared.now(), now.now()]).toEqual([clock.now(), clock.now(), clock.now()])
})
