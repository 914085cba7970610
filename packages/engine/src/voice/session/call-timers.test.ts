import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { CallTimers } from './call-timers.ts'

test('fires a timer with a fractional deadline after its time', async () => {
  const time = manualClock()
  const heard: number[] = []
  const timers = new CallTimers(time.clock, () => heard.push(time.clock.now()))
  const startMs = time.clock.now()
  timers.set('end-of-turn', startMs + 100.9)
  await time.advance(100)
  expect(heard).toEqual([])
  await time.advance(1)
  expect(heard).toEqual([startMs + 101])
})

test('fires timers neither early nor never if the clock is behind', async () => {
  const time = manualClock()
  let behindMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() - behindMs }
  const heard: string[] = []
  const timers = new CallTimers(clock, (name) => heard.push(name))
  timers.set('end-of-turn', clock.now() + 100)
  behindMs = 2
  await time.advance(101)
  expect(heard).toEqual([])
  await time.advance(1)
  expect(heard).toEqual(['end-of-turn'])
  timers.set('silence', clock.now() + 100)
  behindMs = 50
  await time.advance(149 - 2)
  timers.clearAll()
  await time.advance(100)
  expect(heard).toEqual(['end-of-turn'])
})
