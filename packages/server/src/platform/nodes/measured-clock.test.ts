import { manualClock } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMeasuredClock } from './measured-clock.ts'

test('tells the time of the database, whatever the machine says', async () => {
  const { clock, advance } = manualClock()
  const shared = createMeasuredClock({ ...clock, now: () => clock.now() + 90_000 }, async () => clock.now())
  expect(shared.now()).toBe(clock.now() + 90_000)
  await shared.measure()
  expect(shared.skewMs).toBe(90_000)
  await advance(1_234)
  expect(shared.now()).toBe(clock.now())
})

test('a process that was paused while it asked does not lose what it knew', async () => {
  const { clock } = manualClock(0)
  let pausedMs = 0
  const own = { ...clock, now: () => clock.now() + 500 + pausedMs }
  const shared = createMeasuredClock(own, async () => {
    const answer = clock.now() + pausedMs
    pausedMs += 30_000
    return answer
  })
  await shared.measure()
  expect(shared.skewMs).toBe(15_500)
  // Nothing says yet where in these thirty seconds the answer was made; a quick answer says it.
  const quick = createMeasuredClock(own, async () => own.now() - 500)
  await quick.measure()
  expect(quick.skewMs).toBe(500)
})

test('is never further off than an answer took', () => {
  const delays = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }))
  const rounds = fc.array(delays, { minLength: 1, maxLength: 20 })
  const skews = fc.integer({ min: -1e6, max: 1e6 })
  return fc.assert(
    fc.asyncProperty(skews, rounds, async (skewMs, roundTrips) => {
      let now = 1e9
      let outboundMs = 0
      let returnMs = 0
      const own = { now: () => now + skewMs, after: () => () => undefined }
      const shared = createMeasuredClock(own, async () => {
        now += outboundMs
        const answer = now
        now += returnMs
        return answer
      })
      let best = Number.POSITIVE_INFINITY
      for ([outboundMs, returnMs] of roundTrips) {
        await shared.measure()
        best = Math.min(best, outboundMs + returnMs)
        expect(Math.abs(shared.skewMs - skewMs)).toBeLessThanOrEqual(best)
      }
    }),
  )
})
