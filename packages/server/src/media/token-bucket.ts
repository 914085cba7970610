import type { Clock } from '@parley/engine/ports'

/** Sustained and burst limits. */
interface TokenBucketLimits {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Rate limiter that starts with a full bucket. Changes to the system time do not drain or overfill the bucket. This is a class,
 * because it is used for every frame and updating a field allocates less than updating a closure variable.
 */
export class TokenBucket {
  readonly #clock: Omit<Clock, 'after'>
  readonly #limits: TokenBucketLimits
  #tokens: number
  #refilledAtMs: number

  constructor(clock: Omit<Clock, 'after'>, limits: TokenBucketLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#tokens = limits.burst
    this.#refilledAtMs = clock.now()
  }

  /** Takes tokens. Returns false without taking any if there are too few. */
  take(amount: number): boolean {
    const { perSecond, burst } = this.#limits
    const nowMs = this.#clock.now()
    const elapsedMs = Math.max(0, nowMs - this.#refilledAtMs)
    this.#refilledAtMs = nowMs
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs * perSecond) / 1000)
    if (amount > this.#tokens) return false
    this.#tokens -= amount
    return true
  }
}
