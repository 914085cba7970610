import type { Clock } from '@parley/engine/ports'
import type { FailureRules } from '../../kernel/security/rate-limits.ts'

interface Failures {
  readonly count: number
  readonly lastAt: number
}

/** Beyond them the key that failed longest ago is forgiven: bounds the memory that clients can take. */
const MAX_KEYS = 20_000

export interface FailureCountOptions {
  /** Failures are forgotten when none was added for this long. */
  readonly failureTtlMs: number
  readonly maxKeys?: number | undefined
}

/** Counts the failures that passed through this process. */
export function createFailureCounts(
  clock: Omit<Clock, 'after'>,
  { failureTtlMs, maxKeys = MAX_KEYS }: FailureCountOptions,
) {
  /** The key that failed last stands last. */
  const failures = new Map<string, Failures>()

  function find(key: string, now: number): Failures | undefined {
    const known = failures.get(key)
    return known !== undefined && now - known.lastAt >= failureTtlMs ? undefined : known
  }

  function put(key: string, value: Failures): void {
    failures.delete(key)
    failures.set(key, value)
    for (const oldest of failures.keys()) {
      if (failures.size <= maxKeys) break
      failures.delete(oldest)
    }
  }

  function withdraw(key: string, before: Failures | undefined, now: number): void {
    const known = failures.get(key)
    if (known === undefined) return
    if (known.count <= 1) {
      failures.delete(key)
      return
    }
    // Others may have failed since; without them the key waits from where it did before.
    const lastAt = known.lastAt === now && before !== undefined ? before.lastAt : known.lastAt
    failures.set(key, { count: known.count - 1, lastAt })
  }

  return {
    /** How long the next attempt has to wait. */
    waitFor(key: string, { delaysMs }: FailureRules): number {
      const now = clock.now()
      const known = find(key, now)
      if (known === undefined) return 0
      const waitMs = delaysMs[Math.min(known.count, delaysMs.length - 1)] ?? 0
      return Math.max(0, known.lastAt + waitMs - now)
    },

    /** Counts a failure; the answer takes it back, once. */
    count(key: string): () => void {
      const now = clock.now()
      const before = find(key, now)
      put(key, { count: (before?.count ?? 0) + 1, lastAt: now })
      let isWithdrawn = false
      return () => {
        if (isWithdrawn) return
        isWithdrawn = true
        withdraw(key, before, now)
      }
    },

    clearFailures: (key: string): void => void failures.delete(key),
  }
}
