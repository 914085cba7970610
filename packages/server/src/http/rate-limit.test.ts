import { manualClock } from '@parley/engine/testing/index'
import { expect, test } from 'vitest'
import { createRateLimiter, createSharedRateLimiter } from './rate-limit.ts'

test('lets a burst through, then refuses until a token has flowed back', async () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 2, burst: 3 }, manual.clock)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.remaining)).toEqual([2, 1, 0])
  expect(take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 500 })
  await manual.advance(499)
  expect(take('a').allowed).toBe(false)
  await manual.advance(1)
  expect(take('a').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('never holds more than the burst', async () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 10, burst: 2 }, manual.clock)
  take('a')
  await manual.advance(3_600_000)
  expect([take('a'), take('a'), take('a')].map((decision) => decision.allowed)).toEqual([true, true, false])
})

test.each([0.5, 3, 7, 30, 49, 333])('waiting as long as it says is enough at %d a second', async (perSecond) => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond, burst: 1 }, manual.clock)
  take('a')
  for (let round = 0; round < 50; round += 1) {
    const refused = take('a')
    expect(refused.allowed).toBe(false)
    await manual.advance(refused.waitMs)
    expect(take('a').allowed).toBe(true)
  }
})

test('keys do not touch each other', () => {
  const take = createRateLimiter({ perSecond: 1, burst: 1 }, manualClock().clock)
  expect(take('a').allowed).toBe(true)
  expect(take('b').allowed).toBe(true)
  expect(take('a').allowed).toBe(false)
})

test('a flood of new callers is forgotten from its oldest on', () => {
  const manual = manualClock()
  const take = createRateLimiter({ perSecond: 1, burst: 2 }, manual.clock)
  for (let caller = 0; caller < 100_000; caller += 1) take(`ip:${caller}`)
  // The newest are still remembered.
  take('ip:99999')
  expect(take('ip:99999').allowed).toBe(false)
})

test('where nodes share buckets, their answer counts', async () => {
  const levels = [
    { isTaken: true, tokens: 2.5 },
    { isTaken: false, tokens: 0.25 },
  ]
  const take = createSharedRateLimiter({ perSecond: 2, burst: 3 }, manualClock().clock, {
    take: async () => levels.shift() ?? null,
  })
  expect(await take('a')).toEqual({ allowed: true, remaining: 2, waitMs: 250 })
  expect(await take('a')).toEqual({ allowed: false, remaining: 0, waitMs: 375 })
})

test('without their answer this process decides by its own buckets', async () => {
  const manual = manualClock()
  const take = createSharedRateLimiter({ perSecond: 1, burst: 2 }, manual.clock, { take: async () => null })
  const decisions = [await take('a'), await take('a'), await take('a')]
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  await manual.advance(1_000)
  expect(await take('a')).toMatchObject({ allowed: true, remaining: 0 })
})
