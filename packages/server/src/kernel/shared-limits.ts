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
  readonly waitsMs: readonly number[]
  /** Failures are forgotten when none was added for this long. */
  readonly forgottenMs: number
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
  begin(keys: readonly string[], rules: FailureRules): Promise<SharedAttempt | null>
  /** Forgets the failures of a key. Never throws and never waits. */
  forgive(key: string): void
}
