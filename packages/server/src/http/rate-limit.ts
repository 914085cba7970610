import type { Clock } from '@parley/engine/ports'
import type { SharedBuckets } from '../kernel/shared-limits.ts'

export interface RateLimitSettings {
  /** Tokens that flow back each second; 0 turns the limit off. */
  readonly perSecond: number
  /** Size of the bucket. */
  readonly burst: number
}

export interface RateDecision {
  readonly allowed: boolean
  readonly remaining: number
  /** Time until the bucket is full again, or until the next request is allowed when it was refused. */
  readonly waitMs: number
}

/** Takes a token out of the bucket of a key. A promise only where other nodes have to be asked. */
export type TakeToken = (key: string) => RateDecision | Promise<RateDecision>

interface Bucket {
  tokens: number
  updatedAt: number
}

/** Buckets kept before full ones are swept: bounds the memory that unknown callers can take. */
const MAX_BUCKETS = 10_000
/** A sweep leaves this many at most, so that the next one is some thousand new callers away. */
const KEPT_BUCKETS = 8_000
/** What rounding may take from a token that has flowed back. */
const ROUNDING = 1e-9

/** A token bucket per key in this process: `perSecond` on average, `burst` at once. */
export function createRateLimiter(settings: RateLimitSettings, clock: Clock): (key: string) => RateDecision {
  const buckets = new Map<string, Bucket>()
  const { perSecond, burst } = settings

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
    const isTaken = bucket.tokens >= 1 - ROUNDING
    if (isTaken) bucket.tokens = Math.max(0, bucket.tokens - 1)
    return toDecision(settings, isTaken, bucket.tokens)
  }
}

/** The same buckets for all nodes. Where those do not answer in time, this process decides by its own. */
export function createSharedRateLimiter(settings: RateLimitSettings, clock: Clock, shared: SharedBuckets): TakeToken {
  const takeHere = createRateLimiter(settings, clock)
  return async (key) => {
    const level = await shared.take(key, settings)
    return level === null ? takeHere(key) : toDecision(settings, level.isTaken, level.tokens)
  }
}

/** `tokens` are those that are left. */
function toDecision({ perSecond, burst }: RateLimitSettings, isTaken: boolean, tokens: number): RateDecision {
  const missing = isTaken ? burst - tokens : 1 - tokens
  const waitMs = Math.ceil((missing / perSecond) * 1000)
  return { allowed: isTaken, remaining: isTaken ? Math.floor(tokens + ROUNDING) : 0, waitMs }
}
