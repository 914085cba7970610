import type { Clock } from '@parley/engine/ports'
import type { BucketLevel, BucketSettings } from './shared-limits.ts'

interface Bucket {
  tokens: number
  updatedAt: number
}

/** Buckets kept before full ones are swept: bounds the memory that unknown callers can take. */
const MAX_BUCKETS = 10_000
/** A sweep leaves this many at most, so that the next one is some thousand new callers away. */
const KEPT_BUCKETS = 8_000
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
      if (buckets.size <= KEPT_BUCKETS) break
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
