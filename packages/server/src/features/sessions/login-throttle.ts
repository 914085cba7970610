import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import { networkOf } from '../../kernel/network-of.ts'
import type { FailureRules, SharedFailures } from '../../kernel/shared-limits.ts'

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
  if (failures === undefined) return 0
  return Math.max(0, failures.lastAt + waitOf(failures.count) - now)
}

/** After that many failures, counted from the last of them. */
function waitOf(count: number): number {
  if (count < FREE_FAILURES) return 0
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - FREE_FAILURES))
}

/** The same for whoever counts for all nodes. */
const RULES: FailureRules = {
  waitsMs: Array.from(
    { length: FREE_FAILURES + Math.ceil(Math.log2(LONGEST_WAIT_MS / FIRST_WAIT_MS)) + 1 },
    (_, count) => waitOf(count),
  ),
  forgottenMs: FORGOTTEN_MS,
}

/** Attempts on one e-mail address, whether somebody has it or not. */
export const accountKey = (email: string): string => `account ${email}`
/** Attempts out of one network. */
export const networkKey = (ip: string): string => `network ${networkOf(ip)}`
/** Attempts within a login. */
export const sessionKey = (sessionId: string): string => `session ${sessionId}`

/** An attempt that was let through: it counts as failed until it is withdrawn. */
export interface Attempt {
  /** It has not failed. */
  withdraw(): void
}

/** Slows down whoever guesses passwords. */
export interface LoginThrottle {
  /** Throws `rate_limited` while one of the keys has to wait. Attempts at the same time count each. */
  begin(keys: readonly string[]): Promise<Attempt>
  /** Forgets the failures of a key. */
  forgive(key: string): void
}

export interface LoginThrottleOptions {
  /** Where all nodes count together; without it each counts for itself. */
  readonly shared?: SharedFailures | null
  readonly maxKeys?: number
}

/**
 * Counts together with the other nodes, and beside that what passes through this process: when the others cannot be asked, it
 * decides by that, and not as if nothing had happened.
 */
export function createLoginThrottle(clock: Pick<Clock, 'now'>, options: LoginThrottleOptions = {}): LoginThrottle {
  const { shared = null, maxKeys = MAX_KEYS } = options
  const own = createOwnFailures(clock, maxKeys)
  return {
    async begin(keys) {
      const attempt = (await shared?.begin(keys, RULES)) ?? null
      const waitMs = attempt === null ? own.waitFor(keys) : attempt.waitMs
      if (waitMs > 0) {
        throw new AppError('rate_limited', 'Too many failed attempts. Wait before the next one.', {
          retryAfterMs: waitMs,
        })
      }
      const ownAttempt = own.count(keys)
      return {
        withdraw() {
          attempt?.withdraw()
          ownAttempt.withdraw()
        },
      }
    },

    forgive(key) {
      shared?.forgive(key)
      own.forgive(key)
    },
  }
}

/** The failures that passed through this process. */
function createOwnFailures(clock: Pick<Clock, 'now'>, maxKeys: number) {
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
    waitFor(keys: readonly string[]): number {
      const now = clock.now()
      return Math.max(0, ...keys.map((key) => waitAfter(find(key, now), now)))
    },

    count(keys: readonly string[]): Attempt {
      const now = clock.now()
      const before = keys.map((key) => ({ key, failures: find(key, now) }))
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

    forgive: (key: string): void => void failures.delete(key),
  }
}
