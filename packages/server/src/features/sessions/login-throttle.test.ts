import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import type { FailureRules, SharedFailures } from '../../kernel/security/rate-limits.ts'
import {
  type Attempt,
  createLocalFailureCounts,
  createLoginThrottle,
  type LoginThrottleOptions,
} from './login-throttle.ts'

const ANN = 'ann@example.com'
const HOUR_MS = 60 * 60_000

function createThrottle(options?: LoginThrottleOptions) {
  const time = createManualClock()
  const throttle = createLoginThrottle(time.clock, options)
  const measureWait = async (startAttempt: () => Promise<Attempt>): Promise<number> => {
    try {
      await startAttempt()
      return 0
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' })
      return error instanceof AppError ? (error.retryAfterMs ?? 0) : -1
    }
  }
  /** Returns the milliseconds to wait, or 0 if the attempt was allowed and failed. */
  const fail = (ip: string, email = ANN) => measureWait(() => throttle.startLoginAttempt(email, ip))
  return {
    time,
    throttle,
    fail,
    failInSession: (id: string) => measureWait(() => throttle.startSessionAttempt(id)),
    async failRepeatedly(count: number, ip: string, email = ANN) {
      const waits: number[] = []
      for (let time = 0; time < count; time += 1) waits.push(await fail(ip, email))
      return waits
    },
    /** Records failures for one address, each from a different network. */
    async attack(count: number) {
      for (let host = 1; host <= count; host += 1) expect(await fail(`203.0.113.${host}`)).toBe(0)
    },
  }
}

describe('a client and one address', () => {
  test('allows five failures, then doubles the wait up to 15 minutes', async () => {
    const { time, fail, failRepeatedly } = createThrottle()
    expect(await failRepeatedly(6, '::1')).toEqual([0, 0, 0, 0, 0, 1_000])
    await time.advance(999)
    expect(await fail('::1')).toBe(1)
    await time.advance(1)
    expect(await failRepeatedly(2, '::1')).toEqual([0, 2_000])
    for (let waitMs = 2_000; waitMs < 900_000; waitMs = Math.min(900_000, waitMs * 2)) {
      expect(await fail('::1')).toBe(waitMs)
      await time.advance(waitMs)
      expect(await fail('::1')).toBe(0)
    }
    expect(await fail('::1')).toBe(900_000)
    await time.advance(HOUR_MS)
    expect(await failRepeatedly(6, '::1')).toEqual([0, 0, 0, 0, 0, 1_000])
  })

  test('treats a /64 of IPv6 as one client, without affecting other clients or addresses', async () => {
    const { fail, failRepeatedly } = createThrottle()
    await failRepeatedly(5, '2001:db8:0:1::1')
    expect(await fail('2001:db8:0:1:ffff::2')).toBe(1_000)
    expect(await fail('2001:db8:0:2::1')).toBe(0)
    expect(await fail('2001:db8:0:1::1', 'bob@example.com')).toBe(0)
  })

  test('counts concurrent attempts before any has failed', async () => {
    const { fail } = createThrottle()
    const waits = await Promise.all(Array.from({ length: 6 }, () => fail('::1')))
    expect(waits).toEqual([0, 0, 0, 0, 0, 1_000])
  })

  test('resets after the right password, and withdraws an unchecked attempt once', async () => {
    const { throttle, failRepeatedly } = createThrottle()
    await failRepeatedly(4, '::1')
    const unchecked = await throttle.startLoginAttempt(ANN, '::1')
    unchecked.withdraw()
    unchecked.withdraw()
    const right = await throttle.startLoginAttempt(ANN, '::1')
    right.succeed()
    expect(await failRepeatedly(6, '::1')).toEqual([0, 0, 0, 0, 0, 1_000])
    throttle.clearClientFailures(ANN, '::1')
    expect(await failRepeatedly(1, '::1')).toEqual([0])
  })
})

test('during an attack on an address from many networks, each client has one guess and the owner can log in', async () => {
  const { time, throttle, fail, failRepeatedly, attack } = createThrottle()
  await attack(20)
  expect(await failRepeatedly(2, '198.51.100.1')).toEqual([0, 60_000])
  // Rejected attempts do not count.
  await time.advance(60_000)
  expect(await failRepeatedly(2, '198.51.100.1')).toEqual([0, 120_000])
  const owner = await throttle.startLoginAttempt(ANN, '192.0.2.1')
  owner.succeed()
  expect(await fail('192.0.2.1')).toBe(0)
  expect(await failRepeatedly(6, '192.0.2.2', 'bob@example.com')).toEqual([0, 0, 0, 0, 0, 1_000])
  await time.advance(HOUR_MS)
  expect(await failRepeatedly(6, '198.51.100.1')).toEqual([0, 0, 0, 0, 0, 1_000])
})

test('a network that tries many addresses waits for all of them', async () => {
  const { throttle, fail } = createThrottle()
  for (let person = 1; person <= 20; person += 1) expect(await fail('192.0.2.1', `${person}@example.com`)).toBe(0)
  for (let count = 0; count < 9; count += 1) expect(await fail('192.0.2.1')).toBe(1_000)
  // Rejected attempts count neither for the address nor for the client.
  throttle.clearClientFailures(ANN, '192.0.2.1')
  expect(await fail('192.0.2.2')).toBe(0)
})

test('wrong passwords within a session slow down only that session', async () => {
  const { throttle, failInSession } = createThrottle()
  const waits: number[] = []
  for (let count = 0; count < 6; count += 1) waits.push(await failInSession('session_1'))
  expect(waits).toEqual([0, 0, 0, 0, 0, 1_000])
  const otherSession = await throttle.startSessionAttempt('session_2')
  otherSession.succeed()
})

test('keeps a bounded number of keys and forgets the oldest failure', () => {
  const { clock } = createManualClock()
  const counts = createLocalFailureCounts(clock, { failureTtlMs: HOUR_MS, maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) counts.recordFailure(key)
  const rules = { delaysMs: [0, 7], failureTtlMs: HOUR_MS }
  expect(['a', 'b', 'c'].map((key) => counts.getWaitMs(key, rules))).toEqual([0, 7, 7])
})

describe('among several nodes', () => {
  test('uses shared counts, and withdraws and resets them there too', async () => {
    const otherFailures = createScriptedFailures()
    const { throttle, fail, failRepeatedly } = createThrottle({ shared: otherFailures.shared })
    otherFailures.waitMs = (key) => (key.startsWith('client') ? 7_000 : 0)
    expect(await fail('::1')).toBe(7_000)
    expect(otherFailures.received).toEqual([`withdraw account ${ANN}`])
    otherFailures.waitMs = () => 0
    otherFailures.received.length = 0
    const attempt = await throttle.startLoginAttempt(ANN, '192.0.2.1')
    attempt.succeed()
    expect(otherFailures.received.toSorted()).toEqual([
      `forgive client 192.0.2.1 ${ANN}`,
      `withdraw account ${ANN}`,
      `withdraw client 192.0.2.1 ${ANN}`,
      'withdraw network 192.0.2.1',
    ])
    expect(await failRepeatedly(9, '::1')).toEqual(Array.from({ length: 9 }, () => 0))
  })

  test('decides by its own counts when the others do not respond', async () => {
    const otherFailures = createScriptedFailures()
    const { failRepeatedly } = createThrottle({ shared: otherFailures.shared })
    otherFailures.waitMs = () => 0
    expect(await failRepeatedly(3, '::1')).toEqual([0, 0, 0])
    otherFailures.waitMs = (key) => (key.startsWith('client') ? 5_000 : 0)
    expect(await failRepeatedly(3, '::1')).toEqual([5_000, 5_000, 5_000])
    otherFailures.waitMs = () => null
    expect(await failRepeatedly(3, '::1')).toEqual([0, 0, 1_000])
  })
})

interface ScriptedFailures {
  /** Responds to each attempt. Null simulates a missing response. */
  waitMs: (key: string) => number | null
  readonly received: string[]
  readonly shared: SharedFailures
}

function createScriptedFailures(): ScriptedFailures {
  const script: ScriptedFailures = {
    waitMs: () => null,
    received: [],
    shared: {
      async startAttempt(keys: readonly string[], _rules: FailureRules) {
        const [key = ''] = keys
        const waitMs = script.waitMs(key)
        return waitMs === null ? null : { waitMs, withdraw: () => void script.received.push(`withdraw ${key}`) }
      },
      clearFailures: (key) => void script.received.push(`forgive ${key}`),
    },
  }
  return script
}
