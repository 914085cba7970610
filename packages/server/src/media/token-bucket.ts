import type { Clock } from '@parley/engine/ports'

/** So much at once, and so much a second in the long run. */
export interface TokenBucketLimits {
  readonly perSecond: number
  readonly burst: number
}

/** How much somebody may still do. */
export interface TokenBucket {
  /** Takes so much of it; `false`, and nothing is taken, when there is not enough. */
  take(amount: number): boolean
}

/** An allowance that is full at first. A time of day that is set back or forward neither empties it nor fills it over. */
export function createTokenBucket(clock: Omit<Clock, 'after'>, limits: TokenBucketLimits): TokenBucket {
  return new RefillingTokenBucket(clock, limits)
}

/** A class, since it is asked for every frame of a call: fields are changed in place, variables of a closure are allocated anew. */
class RefillingTokenBucket implements TokenBucket {
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
