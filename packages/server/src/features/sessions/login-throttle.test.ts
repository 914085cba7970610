import { manualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import type { FailureRules, SharedFailures } from '../../kernel/shared-limits.ts'
import { createLoginThrottle, type LoginThrottleOptions, waitAfter } from './login-throttle.ts'

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
  function open(options?: LoginThrottleOptions) {
    const time = manualClock()
    const throttle = createLoginThrottle(time.clock, options)
    /** Milliseconds to wait; 0 when the attempt was let through and failed. */
    const fail = async (...keys: string[]): Promise<number> => {
      try {
        await throttle.begin(keys)
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
      async failTimes(count: number, key: string) {
        const waits: number[] = []
        for (let time = 0; time < count; time += 1) waits.push(await fail(key))
        return waits
      },
    }
  }

  test('lets five failures pass and doubles the wait from then on', async () => {
    const { time, fail, failTimes } = open()
    expect(await failTimes(6, 'a')).toEqual([0, 0, 0, 0, 0, 1_000])
    await time.advance(999)
    expect(await fail('a')).toBe(1)
    await time.advance(1)
    expect(await failTimes(2, 'a')).toEqual([0, 2_000])
    expect(await fail('b')).toBe(0)
  })

  test('the slowest key decides, and what was refused counts nowhere', async () => {
    const { fail, failTimes } = open()
    await failTimes(5, 'a')
    for (let count = 0; count < 9; count += 1) expect(await fail('a', 'b')).toBe(1_000)
    expect(await failTimes(5, 'b')).toEqual([0, 0, 0, 0, 0])
  })

  test('attempts at the same time count each before any has failed', async () => {
    const { fail } = open()
    const waits = await Promise.all(Array.from({ length: 6 }, () => fail('a')))
    expect(waits).toEqual([0, 0, 0, 0, 0, 1_000])
  })

  test('what did not fail is taken back, once', async () => {
    const { throttle, fail, failTimes, time } = open()
    await failTimes(4, 'a')
    const attempt = await throttle.begin(['a'])
    attempt.withdraw()
    attempt.withdraw()
    expect(await failTimes(2, 'a')).toEqual([0, 1_000])
    await time.advance(1_000)
    const later = await throttle.begin(['a'])
    later.withdraw()
    expect(await fail('a')).toBe(0)
    throttle.forgive('a')
    expect(await failTimes(5, 'a')).toEqual([0, 0, 0, 0, 0])
  })

  test('forgets after an hour of quiet', async () => {
    const { time, fail, failTimes } = open()
    await failTimes(5, 'a')
    await time.advance(60 * 60_000)
    expect(await failTimes(5, 'a')).toEqual([0, 0, 0, 0, 0])
    expect(await fail('a')).toBe(1_000)
  })

  test('keeps a bounded number of keys and forgives the one that failed longest ago', async () => {
    const { fail, failTimes } = open({ maxKeys: 2 })
    await failTimes(5, 'a')
    await failTimes(5, 'b')
    await fail('c')
    expect(await fail('b')).toBe(1_000)
    expect(await fail('a')).toBe(0)
  })

  test('does as all nodes together say, and takes back and forgives there too', async () => {
    const others = scriptedFailures()
    const { throttle, fail } = open({ shared: others.shared })
    others.next = { waitMs: 7_000 }
    expect(await fail('a')).toBe(7_000)
    others.next = { waitMs: 0 }
    const attempt = await throttle.begin(['a', 'b'])
    attempt.withdraw()
    throttle.forgive('a')
    expect(others.told).toEqual(['withdraw a b', 'forgive a'])
    for (let count = 0; count < 9; count += 1) expect(await fail('a')).toBe(0)
  })

  test('decides alone by what passed through it when the others do not answer', async () => {
    const others = scriptedFailures()
    const { fail, failTimes } = open({ shared: others.shared })
    others.next = { waitMs: 0 }
    expect(await failTimes(3, 'a')).toEqual([0, 0, 0])
    others.next = { waitMs: 5_000 }
    expect(await failTimes(3, 'a')).toEqual([5_000, 5_000, 5_000])
    others.next = null
    expect(await failTimes(3, 'a')).toEqual([0, 0, 1_000])
    expect(await fail('b')).toBe(0)
  })

  test('hands over the waits that it goes by itself', async () => {
    const others = scriptedFailures()
    const { fail } = open({ shared: others.shared })
    await fail('a')
    const waitsMs = others.rules?.waitsMs ?? []
    expect(waitsMs).toEqual(waitsMs.map((_, count) => waitAfter({ count, lastAt: 0 }, 0)))
    expect(waitsMs.at(-1)).toBe(waitAfter({ count: 1_000, lastAt: 0 }, 0))
    expect(others.rules?.forgottenMs).toBe(60 * 60_000)
  })
})

interface ScriptedFailures {
  next: { readonly waitMs: number } | null
  rules: FailureRules | null
  readonly told: string[]
  readonly shared: SharedFailures
}

/** Answers `next` to each attempt; null stands for silence. */
function scriptedFailures(): ScriptedFailures {
  const script: ScriptedFailures = {
    next: null,
    rules: null,
    told: [],
    shared: {
      async begin(keys, rules) {
        script.rules = rules
        const withdraw = (): void => void script.told.push(`withdraw ${keys.join(' ')}`)
        return script.next === null ? null : { ...script.next, withdraw }
      },
      forgive: (key) => void script.told.push(`forgive ${key}`),
    },
  }
  return script
}
