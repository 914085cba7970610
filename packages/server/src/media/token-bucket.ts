import type { Clock } from '@parley/engine/ports'

/** Sustained and burst limits. */
interface TokenBucketLimits {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Rate limiter that starts with a full bucket. Changes of the system time neither drain nor overfill the bucket. A class
 * because every frame of a call uses it: fields update in place, while closure variables allocate.
 */
export class TokenBucket {
  readonly #clock: Omit<Clock, 'after'>
  readonly #limits: TokenBucketLimits
  #left: number
  #countedMs: number

  constructor(clock: Omit<Clock, 'after'>, limits: TokenBucketLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#left = limits.burst
    this.#countedMs = clock.now()
  }

  /** Takes tokens. Returns false without taking any if there are too few. */
  take(amount: number): boolean {
    const { perSecond, burst } = this.#limits
    const nowMs = this.#clock.now()
    const elapsedMs = Math.max(0, nowMs - this.#countedMs)
    this.#countedMs = nowMs
    this.#left = Math.min(burst, this.#left + (elapsedMs * perSecond) / 1000)
    if (amount > this.#left) return false
    this.#left -= amount
    return true
  }
}
