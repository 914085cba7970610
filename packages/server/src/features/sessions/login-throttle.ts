import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import { type FailureRules, getClientNetwork, type SharedFailures } from '../../kernel/security/rate-limits.ts'

interface Failures {
  readonly count: number
  readonly lastAt: number
}

/** Maximum number of keys. Beyond this, the key with the oldest failure is dropped, to bound memory that clients control. */
const MAX_KEYS = 20_000

interface FailureCountOptions {
  /** Failures expire this long after the last failure. */
  readonly failureTtlMs: number
  readonly maxKeys?: number | undefined
}

/** Counts failures in this process. */
export function createFailureCounts(
  clock: Omit<Clock, 'after'>,
  { failureTtlMs, maxKeys = MAX_KEYS }: FailureCountOptions,
) {
  /** Ordered by last failure. */
  const failures = new Map<string, Failures>()

  function findFailures(key: string, now: number): Failures | undefined {
    const entry = failures.get(key)
    return entry !== undefined && now - entry.lastAt >= failureTtlMs ? undefined : entry
  }

  function setFailures(key: string, value: Failures): void {
    failures.delete(key)
    failures.set(key, value)
    for (const oldest of failures.keys()) {
      if (failures.size <= maxKeys) break
      failures.delete(oldest)
    }
  }

  function withdraw(key: string, before: Failures | undefined, now: number): void {
    const entry = failures.get(key)
    if (entry === undefined) return
    if (entry.count <= 1) {
      failures.delete(key)
      return
    }
    // Other failures may have occurred since. Otherwise, the wait continues from the earlier failure.
    const lastAt = entry.lastAt === now && before !== undefined ? before.lastAt : entry.lastAt
    failures.set(key, { count: entry.count - 1, lastAt })
  }

  return {
    /** Returns the milliseconds until the next allowed attempt. */
    waitFor(key: string, { delaysMs }: FailureRules): number {
      const now = clock.now()
      const entry = findFailures(key, now)
      if (entry === undefined) return 0
      const waitMs = delaysMs[Math.min(entry.count, delaysMs.length - 1)] ?? 0
      return Math.max(0, entry.lastAt + waitMs - now)
    },

    /** Counts a failure. The returned function withdraws the failure once. */
    count(key: string): () => void {
      const now = clock.now()
      const previousFailures = findFailures(key, now)
      setFailures(key, { count: (previousFailures?.count ?? 0) + 1, lastAt: now })
      let isWithdrawn = false
      return () => {
        if (isWithdrawn) return
        isWithdrawn = true
        withdraw(key, previousFailures, now)
      }
    },

    clearFailures: (key: string): void => void failures.delete(key),
  }
}

const LONGEST_WAIT_MS = 15 * 60_000
/** Failures expire this long after the last failure. */
const FAILURE_TTL_MS = 60 * 60_000

/** Creates rules with a delay that starts after some failures and doubles with each further one. */
function createDoublingRules(failuresBeforeDelay: number, firstDelayMs: number): FailureRules {
  const doublings = Math.ceil(Math.log2(LONGEST_WAIT_MS / firstDelayMs))
  const waits = Array.from({ length: doublings + 1 }, (_, index) =>
    Math.min(LONGEST_WAIT_MS, firstDelayMs * 2 ** index),
  )
  return { delaysMs: [...Array.from({ length: failuresBeforeDelay }, () => 0), ...waits], failureTtlMs: FAILURE_TTL_MS }
}

/** Applies to one client at one address, and to passwords within a session. */
const CLIENT_RULES = createDoublingRules(5, 1_000)
/** Applies to the same client while an address is under attack: one guess, then minutes of delay. */
const STRICT_RULES = createDoublingRules(1, 60_000)
/** Applies to a network across all addresses. People behind one router share a network. */
const NETWORK_RULES = createDoublingRules(20, 1_000)
/** A wait under these rules rejects nobody, but marks an address as under attack. */
const ATTACK_RULES: FailureRules = createDoublingRules(20, LONGEST_WAIT_MS)

const addressKey = (email: string): string => `account ${email}`
const clientKey = (email: string, ip: string): string => `client ${getClientNetwork(ip)} ${email}`
const networkKey = (ip: string): string => `network ${getClientNetwork(ip)}`
const sessionKey = (sessionId: string): string => `session ${sessionId}`

/** An allowed attempt. The attempt counts as failed until `succeed` or `withdraw` is called. */
export interface Attempt {
  /** Marks the password as correct and resets earlier failures of this client. */
  succeed(): void
  /** Withdraws an attempt whose password was not checked. */
  withdraw(): void
}

/**
 * Slows down clients that guess passwords. A client is a network together with the address it tries, so that failures elsewhere
 * never block the address's owner. Throws `rate_limited` while a client has to wait. Concurrent attempts all count.
 */
export interface LoginThrottle {
  /** Starts a login attempt. Behaves the same whether or not the address exists. */
  startLoginAttempt(email: string, ip: string): Promise<Attempt>
  /** Starts a password attempt within a session. */
  startSessionAttempt(sessionId: string): Promise<Attempt>
  /** Resets the failures of a client at an address. */
  clearClientFailures(email: string, ip: string): void
}

export interface LoginThrottleOptions {
  /** Counts shared by all nodes. Without them, each node counts separately. */
  readonly shared?: SharedFailures | null
  readonly maxKeys?: number
}

/** A counted failure or the remaining wait. */
interface Counted {
  readonly waitMs: number
  withdraw(): void
}

export function createLoginThrottle(clock: Omit<Clock, 'after'>, options: LoginThrottleOptions = {}): LoginThrottle {
  const { count, countAll, clearFailures } = createLoginCounts(clock, options)

  return {
    async startLoginAttempt(email, ip) {
      const key = clientKey(email, ip)
      const addressAttempt = await count(addressKey(email), ATTACK_RULES)
      const isUnderAttack = addressAttempt.waitMs > 0
      const countedAttempts = await countAll([
        [key, isUnderAttack ? STRICT_RULES : CLIENT_RULES],
        [networkKey(ip), NETWORK_RULES],
      ])
      const withdraw = (): void => {
        addressAttempt.withdraw()
        countedAttempts.withdraw()
      }
      if (countedAttempts.waitMs > 0) {
        withdraw()
        throw createRateLimitError(countedAttempts.waitMs)
      }
      return {
        withdraw,
        succeed() {
          withdraw()
          clearFailures(key)
        },
      }
    },

    async startSessionAttempt(sessionId) {
      const key = sessionKey(sessionId)
      const { waitMs, withdraw } = await count(key, CLIENT_RULES)
      if (waitMs > 0) throw createRateLimitError(waitMs)
      return { withdraw, succeed: () => clearFailures(key) }
    },

    clearClientFailures: (email, ip) => clearFailures(clientKey(email, ip)),
  }
}

/** Creates counts in the shared store and in this process. The local counts decide while the store is unavailable. */
function createLoginCounts(clock: Omit<Clock, 'after'>, { shared = null, maxKeys }: LoginThrottleOptions) {
  const localCounts = createFailureCounts(clock, { failureTtlMs: FAILURE_TTL_MS, maxKeys })

  async function countFailure(key: string, rules: FailureRules): Promise<Counted> {
    const attempt = (await shared?.startAttempt([key], rules)) ?? null
    const waitMs = attempt === null ? localCounts.waitFor(key, rules) : attempt.waitMs
    if (waitMs > 0) return { waitMs, withdraw: () => undefined }
    const withdrawLocal = localCounts.count(key)
    return {
      waitMs,
      withdraw() {
        attempt?.withdraw()
        withdrawLocal()
      },
    }
  }

  function clearFailures(key: string): void {
    shared?.clearFailures(key)
    localCounts.clearFailures(key)
  }

  /** Counts the attempt under each key in turn. A rejected attempt is not counted. */
  async function countAll(limits: readonly (readonly [key: string, rules: FailureRules])[]): Promise<Counted> {
    const counted: Counted[] = []
    const withdraw = (): void => {
      for (const countedAttempt of counted.splice(0)) countedAttempt.withdraw()
    }
    for (const [key, rules] of limits) {
      const countedAttempt = await countFailure(key, rules)
      if (countedAttempt.waitMs > 0) {
        withdraw()
        return { waitMs: countedAttempt.waitMs, withdraw }
      }
      counted.push(countedAttempt)
    }
    return { waitMs: 0, withdraw }
  }

  return { count: countFailure, countAll, clearFailures }
}

function createRateLimitError(retryAfterMs: number): AppError {
  return new AppError('rate_limited', 'Too many failed attempts. Wait before the next one.', { retryAfterMs })
}
