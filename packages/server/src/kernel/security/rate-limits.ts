import { isIPv6 } from 'node:net'
import type { Clock } from '@parley/engine/ports'

interface Bucket {
  tokens: number
  updatedAt: number
}

/** Buckets kept before full ones are swept: bounds the memory that unknown callers can take. */
const MAX_BUCKETS = 10_000
/** A sweep leaves this many at most, so that the next one is some thousand new callers away. */
const BUCKETS_AFTER_CLEANUP = 8_000
/** What rounding may take from a token that has flowed back. */
export const TOKEN_ROUNDING = 1e-9

/** Takes a token out of the bucket of a key, in this process: `perSecond` flow in on average, `burst` may be taken at once. */
export function createTokenBuckets(
  { perSecond, burst }: BucketSettings,
  clock: Omit<Clock, 'after'>,
): (key: string) => BucketLevel {
  const buckets = new Map<string, Bucket>()

  function sweep(now: number): void {
    for (const [key, bucket] of buckets) {
      if (bucket.tokens + ((now - bucket.updatedAt) / 1000) * perSecond >= burst) buckets.delete(key)
    }
    // Still full of half-used buckets: forget the oldest, which forgives their callers a little.
    for (const key of buckets.keys()) {
      if (buckets.size <= BUCKETS_AFTER_CLEANUP) break
      buckets.delete(key)
    }
  }

  return (key) => {
    const now = clock.now()
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      if (buckets.size >= MAX_BUCKETS) sweep(now)
      bucket = { tokens: burst, updatedAt: now }
      buckets.set(key, bucket)
    }
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.updatedAt) / 1000) * perSecond)
    bucket.updatedAt = now
    const isTaken = bucket.tokens >= 1 - TOKEN_ROUNDING
    if (isTaken) bucket.tokens = Math.max(0, bucket.tokens - 1)
    return { isTaken, tokens: bucket.tokens }
  }
}

/** A bucket that `perSecond` tokens flow into, up to `burst`. */
export interface BucketSettings {
  /** Above 0. */
  readonly perSecond: number
  readonly burst: number
}

/** What a bucket held: after a token was taken out of it, or still, when there was none to take. */
export interface BucketLevel {
  readonly isTaken: boolean
  /** Parts of a token count. */
  readonly tokens: number
}

/** Token buckets that all nodes draw from. */
export interface SharedBuckets {
  /** Takes a token of `key`. Null when there is no answer in time: who asks decides alone then. Never throws. */
  take(key: string, settings: BucketSettings): Promise<BucketLevel | null>
}

export interface FailureRules {
  /** By the number of failures, how long the next attempt waits after the last one; the last entry holds for all above. */
  readonly delaysMs: readonly number[]
  /** Failures are forgotten when none was added for this long. */
  readonly failureTtlMs: number
}

/** An attempt as all nodes see it. */
export interface SharedAttempt {
  /** Above 0: it has to wait, and counts nowhere. */
  readonly waitMs: number
  /** It has not failed. Never throws and never waits. */
  withdraw(): void
}

/** Failed attempts that all nodes count together. */
export interface SharedFailures {
  /**
   * Counts a failure under each key unless one of them has to wait. Null when there is no answer in time: who asks decides
   * alone then, and nothing stays counted here. Never throws.
   */
  startAttempt(keys: readonly string[], rules: FailureRules): Promise<SharedAttempt | null>
  /** Forgets the failures of a key. Never throws and never waits. */
  clearFailures(key: string): void
}

const V4_MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i
const GROUPS = 8
/** A customer of an access provider is given this many of the eight groups and chooses the rest. */
const NETWORK_GROUPS = 4
/** No address is longer; a proxy may hand on what is none. */
const MAX_ADDRESS_LENGTH = 64

/**
 * Whom an address stands for, where limits hold against somebody: an IPv4 address for itself, an IPv6 address for its /64, of
 * which one customer has all. What is no address stands for itself, cut.
 */
export function networkOf(ip: string): string {
  const mapped = V4_MAPPED.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [address = ''] = ip.split('%', 1)
  if (!isIPv6(address)) return ip.slice(0, MAX_ADDRESS_LENGTH)
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  // An IPv4 address at the end stands for two groups.
  const tailGroups = tail.length + (tail.at(-1)?.includes('.') === true ? 1 : 0)
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tailGroups) }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
