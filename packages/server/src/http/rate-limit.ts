import type { Clock } from '@parley/engine/ports'
import {
  type BucketLevel,
  createTokenBuckets,
  type SharedBuckets,
  TOKEN_ROUNDING,
} from '../kernel/security/rate-limits.ts'

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

/** A token bucket per key in this process: `perSecond` on average, `burst` at once. */
export function createRateLimiter(settings: RateLimitSettings, clock: Clock): (key: string) => RateDecision {
  const take = createTokenBuckets(settings, clock)
  return (key) => toDecision(settings, take(key))
}

/** The same buckets for all nodes. Where those do not answer in time, this process decides by its own. */
export function createSharedRateLimiter(settings: RateLimitSettings, clock: Clock, shared: SharedBuckets): TakeToken {
  const takeLocally = createRateLimiter(settings, clock)
  return async (key) => {
    const level = await shared.take(key, settings)
    return level === null ? takeLocally(key) : toDecision(settings, level)
  }
}

function toDecision({ perSecond, burst }: RateLimitSettings, { isTaken, tokens }: BucketLevel): RateDecision {
  const missing = isTaken ? burst - tokens : 1 - tokens
  const waitMs = Math.ceil((missing / perSecond) * 1000)
  return { allowed: isTaken, remaining: isTaken ? Math.floor(tokens + TOKEN_ROUNDING) : 0, waitMs }
}
