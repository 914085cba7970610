import { createManualClock, type ManualClock } from '@parley/engine/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findRedis, type PrivateRedis, startPrivateRedis } from '../../../../../testing/private-redis.ts'
import { systemClock } from '../system.ts'
import { openRedis, type RedisConnection } from './redis-client.ts'
import { createRedisLimits, type RedisLimits } from './redis-limits.ts'

const RULES = { delaysMs: [0, 0, 10_000, 20_000], failureTtlMs: 60_000 }

describe.skipIf(findRedis() === null)('limits in Redis', () => {
  let redis: PrivateRedis
  let connection: RedisConnection
  beforeAll(async () => {
    redis = await startPrivateRedis()
    const ready = Promise.withResolvers<void>()
    const options = { url: redis.url, name: 'limits', clock: systemClock, logError: () => {} }
    connection = openRedis({ ...options, onReady: ready.resolve })
    await ready.promise
  })
  afterAll(async () => {
    connection.close()
    await redis[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await connection.client.flushall()
  })

  function open(installationId = 'here', clock: ManualClock['clock'] = createManualClock().clock) {
    const errors: unknown[] = []
    const logError = (_name: string, error: unknown): void => void errors.push(error)
    return { ...createRedisLimits({ connection, installationId, clock, logError }), errors }
  }
  const redisNow = async (): Promise<number> => {
    const [seconds = 0, micros = 0] = (await connection.client.time()).map(Number)
    return seconds * 1000 + Math.floor(micros / 1000)
  }
  const keysOf = async (): Promise<string[]> => (await connection.client.keys('*')).toSorted()

  describe('a bucket', () => {
    test('is shared by the nodes of one installation', async () => {
      const [one, two, foreign] = [open(), open(), open('there')]
      const settings = { perSecond: 0.001, burst: 3 }
      const levels = [
        await one.buckets.take('a', settings),
        await two.buckets.take('a', settings),
        await one.buckets.take('a', settings),
        await two.buckets.take('a', settings),
        await two.buckets.take('b', settings),
        await foreign.buckets.take('a', settings),
      ]
      expect(levels.map((level) => [level?.isTaken, Math.floor(level?.tokens ?? -1)])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [true, 2],
        [true, 2],
      ])
    })

    test('refills with the time of Redis, up to its size', async () => {
      const { buckets } = open()
      const settings = { perSecond: 2, burst: 3 }
      await buckets.take('a', settings)
      const [key = ''] = await keysOf()
      const setTokens = async (tokens: number, agoMs: number): Promise<void> => {
        await connection.client.set(key, `${tokens} ${(await redisNow()) - agoMs}`)
      }
      const startedAt = await redisNow()
      await setTokens(0, 1_000)
      const level = await buckets.take('a', settings)
      // What the commands took fills it as well, where they took long.
      const elapsedMs = (await redisNow()) - startedAt
      expect(level?.isTaken).toBe(true)
      expect(level?.tokens).toBeGreaterThanOrEqual(1)
      expect(level?.tokens).toBeLessThanOrEqual(Math.min(2, 1 + (elapsedMs / 1000) * settings.perSecond))
      await setTokens(0, 3_600_000)
      expect(await buckets.take('a', settings)).toEqual({ isTaken: true, tokens: 2 })
      // A clock of Redis that was set back takes nothing away.
      await setTokens(2, -3_600_000)
      expect(await buckets.take('a', settings)).toEqual({ isTaken: true, tokens: 1 })
    })

    test('expires when full, under a hashed name', async () => {
      const { buckets } = open()
      await buckets.take('ip:203.0.113.7', { perSecond: 2, burst: 3 })
      const [key = '', ...others] = await keysOf()
      expect(others).toEqual([])
      expect(key).toMatch(/^parley:here:rate:[\w-]{22}$/)
      expect(await connection.client.pttl(key)).toBeLessThanOrEqual(501)
      await buckets.take('slow', { perSecond: 0.000000001, burst: 1_000_000 })
      const days = await Promise.all(
        (await keysOf()).map(async (one) => (await connection.client.pttl(one)) / 86_400_000),
      )
      expect(Math.max(...days)).toBeLessThanOrEqual(30)
      expect(Math.min(...days)).toBeGreaterThan(0)
    })

    test('never gives concurrent requests more tokens than it has', async () => {
      const nodes = [open(), open(), open()]
      const settings = { perSecond: 0.001, burst: 20 }
      const decisions = Array.from({ length: 90 }, (_, index) => nodes[index % 3]?.buckets.take('a', settings))
      const levels = await Promise.all(decisions)
      expect(levels.filter((level) => level?.isTaken).length).toBe(20)
    })

    test('works after Redis lost its scripts', async () => {
      const { buckets } = open()
      await buckets.take('a', { perSecond: 1, burst: 3 })
      await connection.client.script('FLUSH')
      expect(await buckets.take('b', { perSecond: 1, burst: 3 })).toEqual({ isTaken: true, tokens: 2 })
    })
  })

  describe('an attempt', () => {
    const waits = async ({ failures }: RedisLimits, count: number, ...keys: string[]): Promise<number[]> => {
      const found: number[] = []
      for (let time = 0; time < count; time += 1) found.push((await failures.startAttempt(keys, RULES))?.waitMs ?? -1)
      return found
    }
    /** Of a wait that began at a time of Redis or later: only what the commands took since then may be gone of it. */
    const expectLeft = async (waitMs: number | undefined, wholeMs: number, startedAt: number): Promise<void> => {
      expect(waitMs).toBeLessThanOrEqual(wholeMs)
      expect(waitMs).toBeGreaterThanOrEqual(wholeMs - ((await redisNow()) - startedAt))
    }
    /** As if all of it had happened so long ago. */
    const setTokens = async (byMs: number): Promise<void> => {
      for (const key of await keysOf()) await connection.client.hincrby(key, 'at', -byMs)
    }

    test('counts for all nodes, with the configured delays', async () => {
      const [one, two] = [open(), open()]
      expect(await waits(one, 1, 'a')).toEqual([0])
      const second = await redisNow()
      expect(await waits(two, 1, 'a')).toEqual([0])
      await expectLeft((await waits(one, 1, 'a'))[0], 10_000, second)
      await setTokens(10_000)
      const third = await redisNow()
      expect(await waits(two, 1, 'a')).toEqual([0])
      await expectLeft((await waits(one, 1, 'a'))[0], 20_000, third)
      await setTokens(20_000)
      const fourth = await redisNow()
      expect(await waits(one, 1, 'a')).toEqual([0])
      await expectLeft((await waits(one, 1, 'a'))[0], 20_000, fourth)
      expect(await waits(one, 1, 'b')).toEqual([0])
    })

    test('is rejected by the key with the longest delay, and then counts nowhere', async () => {
      const one = open()
      const startedAt = await redisNow()
      await waits(one, 2, 'a')
      for (const waitMs of await waits(one, 5, 'b', 'a')) await expectLeft(waitMs, 10_000, startedAt)
      expect(await waits(one, 2, 'b')).toEqual([0, 0])
    })

    test('is counted for each of many concurrent ones', async () => {
      const [one, two] = [open(), open()]
      const all = await Promise.all([one, two, one, two, one].map((node) => node.failures.startAttempt(['a'], RULES)))
      expect(all.filter((attempt) => attempt?.waitMs === 0)).toHaveLength(2)
    })

    test('that succeeded is withdrawn once', async () => {
      const [one, two] = [open(), open()]
      await waits(one, 2, 'a')
      await setTokens(10_000)
      const attempt = await two.failures.startAttempt(['a', 'b'], RULES)
      attempt?.withdraw()
      attempt?.withdraw()
      const third = await redisNow()
      expect(await waits(one, 1, 'a')).toEqual([0])
      await expectLeft((await waits(one, 1, 'a'))[0], 20_000, third)
      expect(await keysOf()).toHaveLength(1)
    })

    test('that was rejected withdraws nothing', async () => {
      const one = open()
      const startedAt = await redisNow()
      await waits(one, 2, 'a')
      const refused = await one.failures.startAttempt(['a'], RULES)
      refused?.withdraw()
      await expectLeft((await waits(one, 1, 'a'))[0], 10_000, startedAt)
    })

    test('is cleared, and expires', async () => {
      const one = open()
      await waits(one, 2, 'person@example.com')
      const [key = ''] = await keysOf()
      expect(key).toMatch(/^parley:here:failures:[\w-]{22}$/)
      const ttlMs = await connection.client.pttl(key)
      expect(ttlMs).toBeGreaterThan(50_000)
      expect(ttlMs).toBeLessThanOrEqual(60_000)
      one.failures.clearFailures('person@example.com')
      expect(await waits(one, 2, 'person@example.com')).toEqual([0, 0])
    })
  })

  describe('a Redis that does not answer', () => {
    const settings = { perSecond: 1, burst: 3 }

    test('is skipped for a second after 50 ms', async () => {
      const manual = createManualClock()
      const { buckets } = open('here', manual.clock)
      await redis.kill('SIGSTOP')
      try {
        const take = buckets.take('a', settings)
        await manual.advance(50)
        expect(await take).toBeNull()
        expect(await buckets.take('a', settings)).toBeNull()
        await manual.advance(999)
        expect(await buckets.take('a', settings)).toBeNull()
      } finally {
        await redis.kill('SIGCONT')
      }
      await manual.advance(1)
      expect((await buckets.take('b', settings))?.isTaken).toBe(true)
      expect(manual.countPendingTimers()).toBe(0)
    })

    test('counts no attempt that was decided locally', async () => {
      const manual = createManualClock()
      const { failures } = open('here', manual.clock)
      await redis.kill('SIGSTOP')
      try {
        const attempt = failures.startAttempt(['a', 'b'], RULES)
        await manual.advance(250)
        expect(await attempt).toBeNull()
      } finally {
        await redis.kill('SIGCONT')
      }
      // Commands of one connection are answered in order: the attempt has been counted by now.
      await connection.client.ping()
      await expect.poll(keysOf).toEqual([])
    })

    test('withdraws attempts that were counted while it was skipped', async () => {
      const manual = createManualClock()
      const { buckets, failures } = open('here', manual.clock)
      const attempt = await failures.startAttempt(['a'], RULES)
      await redis.kill('SIGSTOP')
      const take = buckets.take('a', settings)
      await manual.advance(50)
      expect(await take).toBeNull()
      attempt?.withdraw()
      await redis.kill('SIGCONT')
      await connection.client.ping()
      expect((await keysOf()).filter((key) => key.includes('failures'))).toEqual([])
    })

    test('is logged once a second when it rejects, and delays nobody', async () => {
      const manual = createManualClock()
      const { buckets, errors } = open('here', manual.clock)
      await connection.client.config('SET', 'maxmemory', '1')
      try {
        expect(await Promise.all([buckets.take('a', settings), buckets.take('b', settings)])).toEqual([null, null])
        expect(await buckets.take('c', settings)).toBeNull()
        expect(errors).toHaveLength(1)
        expect(errors[0]).toMatchObject({ code: 'OOM' })
      } finally {
        await connection.client.config('SET', 'maxmemory', '0')
      }
    })

    test('is not called while disconnected', async () => {
      const { buckets, failures, errors } = open()
      await redis.kill('SIGKILL')
      try {
        await expect.poll(() => connection.getFault()).not.toBeNull()
        expect(await buckets.take('a', settings)).toBeNull()
        expect(await failures.startAttempt(['a'], RULES)).toBeNull()
        failures.clearFailures('a')
        expect(errors).toEqual([])
      } finally {
        await redis.start()
        await expect.poll(() => connection.getFault(), { timeout: 10_000 }).toBeNull()
      }
    })
  })
})
