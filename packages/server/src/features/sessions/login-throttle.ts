import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import { type FailureRules, getClientNetwork, type SharedFailures } from '../../kernel/security/rate-limits.ts'

interface FailureEntry {
  readonly count: number
  readonly lastFailedAt: number
}

/** Limits memory use, because clients control the keys. Beyond the limit, the key with the oldest failure is dropped. */
const MAX_KEYS = 20_000

interface FailureCountOptions {
  /** Failures expire this long after the last failure. */
  readonly failureTtlMs: number
  readonly maxKeys?: number | undefined
}

/** Counts failures in the memory of this process. */
export function createLocalFailureCounts(
  clock: Omit<Clock, 'after'>,
  { failureTtlMs, maxKeys = MAX_KEYS }: FailureCountOptions,
) {
  /** Ordered by last failure. */
  const failures = new Map<string, FailureEntry>()

  function findEntry(key: string, now: number): FailureEntry | undefined {
    const entry = failures.get(key)
    return entry !== undefined && now - entry.lastFailedAt >= failureTtlMs ? undefined : entry
  }

  function setEntry(key: string, entry: FailureEntry): void {
    failures.delete(key)
    failures.set(key, entry)
    for (const oldest of failures.keys()) {
      if (failures.size <= maxKeys) break
      failures.delete(oldest)
    }
  }

  function withdrawFailure(key: string, previousEntry: FailureEntry | undefined, now: number): void {
    const entry = failures.get(key)
    if (entry === undefined) return
    if (entry.count <= 1) {
      failures.delete(key)
      return
    }
    // Restores the time of the previous failure, unless another failure has occurred since.
    const lastFailedAt =
      entry.lastFailedAt === now && previousEntry !== undefined ? previousEntry.lastFailedAt : entry.lastFailedAt
    failures.set(key, { count: entry.count - 1, lastFailedAt })
  }

  return {
    /** Returns the milliseconds until the next allowed attempt. */
    getWaitMs(key: string, { delaysMs }: FailureRules): number {
      const now = clock.now()
      const entry = findEntry(key, now)
      if (entry === undefined) return 0
      const waitMs = delaysMs[Math.min(entry.count, delaysMs.length - 1)] ?? 0
      return Math.max(0, entry.lastFailedAt + waitMs - now)
    },

    /** Counts a failure. The returned function withdraws the failure once. */
    recordFailure(key: string): () => void {
      const now = clock.now()
      const previousEntry = findEntry(key, now)
      setEntry(key, { count: (previousEntry?.count ?? 0) + 1, lastFailedAt: now })
      let isWithdrawn = false
      return () => {
        if (isWithdrawn) return
        isWithdrawn = true
        withdrawFailure(key, previousEntry, now)
      }
    },

    clearFailures: (key: string): void => void failures.delete(key),
  }
}

const MAX_WAIT_MS = 15 * 60_000
/** Failures expire this long after the last failure. */
const FAILURE_TTL_MS = 60 * 60_000

/** Creates rules with a delay that starts after a number of failures and doubles with each further failure. */
function createBackoffRules(failuresBeforeDelay: number, firstDelayMs: number): FailureRules {
  const doublingCount = Math.ceil(Math.log2(MAX_WAIT_MS / firstDelayMs))
  const delaysMs = Array.from({ length: doublingCount + 1 }, (_, index) =>
    Math.min(MAX_WAIT_MS, firstDelayMs * 2 ** index),
  )
  return {
    delaysMs: [...Array.from({ length: failuresBeforeDelay }, () => 0), ...delaysMs],
    failureTtlMs: FAILURE_TTL_MS,
  }
}

/** Applies to a client's attempts for one email address and to password checks within a session. */
const CLIENT_RULES = createBackoffRules(5, 1_000)
/** Applies instead of `CLIENT_RULES` while the email address is under attack. */
const STRICT_RULES = createBackoffRules(1, 60_000)
/** Applies to a network's attempts for all email addresses. Less strict, because many people may share a network. */
const NETWORK_RULES = createBackoffRules(20, 1_000)
/** An email address that exceeds these rules is under attack. These rules alone reject no attempt. */
const ATTACK_RULES: FailureRules = createBackoffRules(20, MAX_WAIT_MS)

const toAddressKey = (email: string): string => `account ${email}`
const toClientKey = (email: string, ip: string): string => `client ${getClientNetwork(ip)} ${email}`
const toNetworkKey = (ip: string): string => `network ${getClientNetwork(ip)}`
const toSessionKey = (sessionId: string): string => `session ${sessionId}`

/** An allowed attempt. The attempt counts as failed until `succeed` or `withdraw` is called. */
export interface Attempt {
  /** Marks the password as correct and resets earlier failures of this client. */
  succeed(): void
  /** Withdraws an attempt whose password was not checked. */
  withdraw(): void
}

/**
 * Limits the rate of password guesses per client. A client is a pair of network and email address, so that attackers in other
 * networks cannot lock out the address's owner. Throws `rate_limited` while a client must wait.
 */
export interface LoginThrottle {
  /** Starts a login attempt. Behaves the same for unknown email addresses. */
  startLoginAttempt(email: string, ip: string): Promise<Attempt>
  /** Starts a password attempt within a session. */
  startSessionAttempt(sessionId: string): Promise<Attempt>
  /** Clears a client's failures for an email address. */
  clearClientFailures(email: string, ip: string): void
}

export interface LoginThrottleOptions {
  /** Counts shared by all nodes. Without them, each node counts separately. */
  readonly shared?: SharedFailures | null
  readonly maxKeys?: number
}

/** A counted attempt, or a rejected attempt with its remaining wait. */
interface CountedAttempt {
  readonly waitMs: number
  withdraw(): void
}

export function createLoginThrottle(clock: Omit<Clock, 'after'>, options: LoginThrottleOptions = {}): LoginThrottle {
  const { count, countAll, clearFailures } = createFailureCounter(clock, options)

  return {
    async startLoginAttempt(email, ip) {
      const key = toClientKey(email, ip)
      const addressAttempt = await count(toAddressKey(email), ATTACK_RULES)
      const isUnderAttack = addressAttempt.waitMs > 0
      const clientAttempt = await countAll([
        [key, isUnderAttack ? STRICT_RULES : CLIENT_RULES],
        [toNetworkKey(ip), NETWORK_RULES],
      ])
      const withdraw = (): void => {
        addressAttempt.withdraw()
        clientAttempt.withdraw()
      }
      if (clientAttempt.waitMs > 0) {
        withdraw()
        throw createRateLimitError(clientAttempt.waitMs)
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
      const key = toSessionKey(sessionId)
      const { waitMs, withdraw } = await count(key, CLIENT_RULES)
      if (waitMs > 0) throw createRateLimitError(waitMs)
      return { withdraw, succeed: () => clearFailures(key) }
    },

    clearClientFailures: (email, ip) => clearFailures(toClientKey(email, ip)),
  }
}

/** Counts failures in the shared store and in this process. Uses the local counts while the store is unavailable. */
function createFailureCounter(clock: Omit<Clock, 'after'>, { shared = null, maxKeys }: LoginThrottleOptions) {
  const localCounts = createLocalFailureCounts(clock, { failureTtlMs: FAILURE_TTL_MS, maxKeys })

  async function countFailure(key: string, rules: FailureRules): Promise<CountedAttempt> {
    const attempt = (await shared?.startAttempt([key], rules)) ?? null
    const waitMs = attempt === null ? localCounts.getWaitMs(key, rules) : attempt.waitMs
    if (waitMs > 0) return { waitMs, withdraw: () => undefined }
    const withdrawLocal = localCounts.recordFailure(key)
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

  /** Counts an attempt under all keys. A rejected attempt is not counted under any key. */
  async function countAll(limits: readonly (readonly [key: string, rules: FailureRules])[]): Promise<CountedAttempt> {
    const countedAttempts: CountedAttempt[] = []
    const withdraw = (): void => {
      for (const countedAttempt of countedAttempts.splice(0)) countedAttempt.withdraw()
    }
    for (const [key, rules] of limits) {
      const countedAttempt = await countFailure(key, rules)
      if (countedAttempt.waitMs > 0) {
        withdraw()
        return { waitMs: countedAttempt.waitMs, withdraw }
      }
      countedAttempts.push(countedAttempt)
    }
    return { waitMs: 0, withdraw }
  }

  return { count: countFailure, countAll, clearFailures }
}

function createRateLimitError(retryAfterMs: number): AppError {
  return new AppError('rate_limited', 'Too many failed attempts. Try again later.', { retryAfterMs })
}
