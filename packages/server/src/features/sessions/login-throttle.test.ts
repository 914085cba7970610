import { manualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import { createLoginThrottle, waitAfter } from './login-throttle.ts'

describe('waitAfter', () => {
  test.each([
    [0, 0],
    [4, 0],
    [5, 1_000],
    [6, 2_000],
    [10, 32_000],
    [14, 512_000],
    [15, 900_000],
    [5_000, 900_000],
  ])('%i failures just now: %i ms', (count, waitMs) => {
    expect(waitAfter({ count, lastAt: 50 }, 50)).toBe(waitMs)
  })

  test('runs off', () => {
    expect(waitAfter(undefined, 0)).toBe(0)
    expect(waitAfter({ count: 6, lastAt: 0 }, 1_500)).toBe(500)
    expect(waitAfter({ count: 6, lastAt: 0 }, 9_000)).toBe(0)
  })
})

describe('the throttle', () => {
  function open(maxKeys?: number) {
    const time = manualClock()
    const throttle = createLoginThrottle(time.clock, maxKeys)
    /** Milliseconds to wait; 0 when the attempt was let through and failed. */
    const fail = (...keys: string[]): number => {
      try {
        throttle.begin(keys)
        return 0
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        return error instanceof AppError && error.code === 'rate_limited' ? (error.retryAfterMs ?? 0) : -1
      }
    }
    return {
      time,
      throttle,
      fail,
      failTimes: (count: number, key: string) => Array.from({ length: count }, () => fail(key)),
    }
  }

  test('lets five failures pass and doubles the wait from then on', async () => {
    const { time, fail, failTimes } = open()
    expect(failTimes(6, 'a')).toEqual([0, 0, 0, 0, 0, 1_000])
    await time.advance(999)
    expect(fail('a')).toBe(1)
    await time.advance(1)
    expect(failTimes(2, 'a')).toEqual([0, 2_000])
    expect(fail('b')).toBe(0)
  })

  test('the slowest key decides, and what was refused counts nowhere', () => {
    const { fail, failTimes } = open()
    failTimes(5, 'a')
    for (let count = 0; count < 9; count += 1) expect(fail('a', 'b')).toBe(1_000)
    expect(failTimes(5, 'b')).toEqual([0, 0, 0, 0, 0])
  })

  test('attempts at the same time count each before any has failed', () => {
    const { throttle, fail } = open()
    for (let count = 0; count < 5; count += 1) throttle.begin(['a'])
    expect(fail('a')).toBe(1_000)
  })

  test('what did not fail is taken back, once', async () => {
    const { throttle, fail, failTimes, time } = open()
    failTimes(4, 'a')
    const attempt = throttle.begin(['a'])
    attempt.withdraw()
    attempt.withdraw()
    expect(failTimes(2, 'a')).toEqual([0, 1_000])
    await time.advance(1_000)
    throttle.begin(['a']).withdraw()
    expect(fail('a')).toBe(0)
    throttle.forgive('a')
    expect(failTimes(5, 'a')).toEqual([0, 0, 0, 0, 0])
  })

  test('forgets after an hour of quiet', async () => {
    const { time, fail, failTimes } = open()
    failTimes(5, 'a')
    await time.advance(60 * 60_000)
    expect(failTimes(5, 'a')).toEqual([0, 0, 0, 0, 0])
    expect(fail('a')).toBe(1_000)
  })

  test('keeps a bounded number of keys and forgives the one that failed longest ago', () => {
    const { fail, failTimes } = open(2)
    failTimes(5, 'a')
    failTimes(5, 'b')
    fail('c')
    expect(fail('b')).toBe(1_000)
    expect(fail('a')).toBe(0)
  })
})
