import type { Clock } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { createSharedClock, type SharedClock } from './shared-clock.ts'

test('process time and shared time are not interchangeable', async () => {
  const { clock, advance } = createManualClock()
  const shared = createSharedClock(clock)
  // @ts-expect-error The shared time does not measure this process.
  const processClock: Clock = shared
  // @ts-expect-error The time of a process is meaningless to other nodes.
  const asShared: SharedClock = clock
  // @ts-expect-error Partial clocks are not interchangeable either.
  const partialClock: Omit<Clock, 'after'> = shared
  await advance(1_000)
  expect([processClock.now(), asShared.now(), partialClock.now()]).toEqual([clock.now(), clock.now(), clock.now()])
})
