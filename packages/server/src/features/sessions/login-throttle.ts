import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import { networkOf } from './network-of.ts'

/** Failed attempts under one key. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
}

/** Failures that cost nothing. */
const FREE_FAILURES = 5
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15 * 60_000
/** Failures are forgotten when none was added for this long. */
const FORGOTTEN_MS = 60 * 60_000
/** Keys kept; beyond them the one that failed longest ago is forgiven. */
const MAX_KEYS = 20_000

/** How long the next attempt has to wait: not at all for five failures, then a second, doubling to a quarter of an hour. */
export function waitAfter(failures: Failures | undefined, now: number): number {
  if (failures === undefined || failures.count < FREE_FAILURES) return 0
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures.count - FREE_FAILURES))
  return Math.max(0, failures.lastAt + waitMs - now)
}

/** Attempts on one e-mail address, whether somebody has it or not. */
export const accountKey = (email: string): string => `account ${email}`
/** Attempts out of one network. */
export const networkKey = (ip: string): string => `network ${networkOf(ip)}`
/** Attempts of somebody who is logged in already. */
export const personKey = (userId: string): string => `person ${userId}`

/** An attempt that was let through: it counts as failed until it is withdrawn. */
export interface Attempt {
  /** It has not failed. */
  withdraw(): void
}

/** Slows down whoever guesses passwords. The state is this process's own. */
export interface LoginThrottle {
  /** Throws `rate_limited` while one of the keys has to wait. Attempts at the same time count each. */
  begin(keys: readonly string[]): Attempt
  /** Forgets the failures of a key. */
  forgive(key: string): void
}

export function createLoginThrottle(clock: Pick<Clock, 'now'>, maxKeys = MAX_KEYS): LoginThrottle {
  /** The key that failed last stands last. */
  const failures = new Map<string, Failures>()

  function find(key: string, now: number): Failures | undefined {
    const known = failures.get(key)
    return known !== undefined && now - known.lastAt >= FORGOTTEN_MS ? undefined : known
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
    begin(keys) {
      const now = clock.now()
      const before = keys.map((key) => ({ key, failures: find(key, now) }))
      const waitMs = Math.max(0, ...before.map((one) => waitAfter(one.failures, now)))
      if (waitMs > 0) {
        throw new AppError('rate_limited', 'Too many failed attempts. Wait before the next one.', {
          retryAfterMs: waitMs,
        })
      }
      for (const one of before) put(one.key, { count: (one.failures?.count ?? 0) + 1, lastAt: now })
      let isWithdrawn = false
      return {
        withdraw() {
          if (isWithdrawn) return
          isWithdrawn = true
          for (const one of before) withdraw(one.key, one.failures, now)
        },
      }
    },

    forgive(key) {
      failures.delete(key)
    },
  }
}
