import { isIPv6 } from 'node:net'
import type { Clock } from '@parley/engine/ports'

interface Bucket {
  tokens: number
  updatedAt: number
}

/** Number of buckets above which full buckets are removed, to limit memory use. */
const MAX_BUCKETS = 10_000
/** Maximum number of buckets after a sweep, low enough to keep sweeps rare. */
const BUCKETS_AFTER_CLEANUP = 8_000
/** Tolerance for rounding errors in refilled tokens. */
export const TOKEN_ROUNDING = 1e-9

/** Creates in-process token buckets. Each bucket holds up to `burst` tokens and refills by `perSecond` tokens per second. */
export function createTokenBuckets(
  { perSecond, burst }: BucketSettings,
  clock: Omit<Clock, 'after'>,
): (key: string) => BucketLevel {
  const buckets = new Map<string, Bucket>()

  function sweepBuckets(now: number): void {
    for (const [key, bucket] of buckets) {
      if (bucket.tokens + ((now - bucket.updatedAt) / 1000) * perSecond >= burst) buckets.delete(key)
    }
    // If too many partly used buckets remain, the oldest are dropped.
    for (const key of buckets.keys()) {
      if (buckets.size <= BUCKETS_AFTER_CLEANUP) break
      buckets.delete(key)
    }
  }

  return (key) => {
    const now = clock.now()
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      if (buckets.size >= MAX_BUCKETS) sweepBuckets(now)
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

/** Size and refill rate of a token bucket. */
export interface BucketSettings {
  readonly perSecond: number
  readonly burst: number
}

/** Bucket level after an attempt to take a token. */
export interface BucketLevel {
  readonly isTaken: boolean
  /** May be fractional. */
  readonly tokens: number
}

/** Token buckets shared by all nodes. */
export interface SharedBuckets {
  /**
   * Takes one token from the bucket of `key`. Returns null if no response arrives in time; the caller then decides locally.
   * Never throws.
   */
  take(key: string, settings: BucketSettings): Promise<BucketLevel | null>
}

export interface FailureRules {
  /** Delay before the next attempt, indexed by the number of failures. The last entry applies to all further failures. */
  readonly delaysMs: readonly number[]
  /** Time without a new failure after which failures expire. */
  readonly failureTtlMs: number
}

/** An attempt counted across all nodes. */
export interface SharedAttempt {
  /** If positive, the attempt must wait and is not counted. */
  readonly waitMs: number
  /** Removes the counted failure. Never throws and does not wait for the result. */
  withdraw(): void
}

/** Failed attempts counted across all nodes. */
export interface SharedFailures {
  /**
   * Counts a failure under each key unless one of the keys must wait. Returns null if no response arrives in time; the caller
   * then decides locally. Never throws.
   */
  startAttempt(keys: readonly string[], rules: FailureRules): Promise<SharedAttempt | null>
  /** Clears the failures of a key. Never throws and does not wait for the result. */
  clearFailures(key: string): void
}

const V4_MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i
const GROUPS = 8
/** Number of leading IPv6 groups that the internet provider assigns to a customer, out of eight. */
const NETWORK_GROUPS = 4
/** Longer values, which proxies can forward, are truncated. */
const MAX_ADDRESS_LENGTH = 64

/**
 * Returns the client identity for rate limits: an IPv4 address, or the /64 network of an IPv6 address. Truncates other values.
 */
export function getClientNetwork(ip: string): string {
  const mappedAddress = V4_MAPPED.exec(ip)?.[1]
  if (mappedAddress !== undefined) return mappedAddress
  const [address = ''] = ip.split('%', 1)
  if (!isIPv6(address)) return ip.slice(0, MAX_ADDRESS_LENGTH)
  const [headGroups = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  // An embedded IPv4 address counts as two groups.
  const tailGroups = tail.length + (tail.at(-1)?.includes('.') === true ? 1 : 0)
  const zeros = Array.from({ length: Math.max(0, GROUPS - headGroups.length - tailGroups) }, () => '0')
  const groups = [...headGroups, ...zeros, ...tail].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
