import type { Clock } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import { type FailureRules, networkOf, type SharedFailures } from '../../kernel/security/rate-limits.ts'
import { createFailureCounts } from './failure-counts.ts'

const LONGEST_WAIT_MS = 15 * 60_000
/** Failures are forgotten when none was added for this long. */
const FAILURE_TTL_MS = 60 * 60_000

/** Waits that begin after some failures and double with each further one. */
function doublingFrom(failuresBeforeDelay: number, firstDelayMs: number): FailureRules {
  const doublings = Math.ceil(Math.log2(LONGEST_WAIT_MS / firstDelayMs))
  const waits = Array.from({ length: doublings + 1 }, (_, index) =>
    Math.min(LONGEST_WAIT_MS, firstDelayMs * 2 ** index),
  )
  return { delaysMs: [...Array.from({ length: failuresBeforeDelay }, () => 0), ...waits], failureTtlMs: FAILURE_TTL_MS }
}

/** For one client at one address, and for passwords within a login. */
const CLIENT_RULES = doublingFrom(5, 1_000)
/** For the same client while an address is under attack: one guess, then minutes. */
const STRICT_RULES = doublingFrom(1, 60_000)
/** For a network, whichever addresses it tries; people behind one router share it. */
const NETWORK_RULES = doublingFrom(20, 1_000)
/** A wait here refuses nobody: it says that an address is under attack. */
const ATTACK_RULES: FailureRules = doublingFrom(20, LONGEST_WAIT_MS)

const addressKey = (email: string): string => `account ${email}`
const clientKey = (email: string, ip: string): string => `client ${networkOf(ip)} ${email}`
const networkKey = (ip: string): string => `network ${networkOf(ip)}`
const sessionKey = (sessionId: string): string => `session ${sessionId}`

/** An attempt that was let through: it counts as failed until it succeeds or is withdrawn. */
export interface Attempt {
  /** The password was right: the earlier failures of this client are forgotten as well. */
  succeed(): void
  /** Nothing was checked. */
  withdraw(): void
}

/**
 * Slows down clients that guess passwords. A client is a network together with the address that it tries, so that failures
 * elsewhere never keep the right password of an address out. Throws `rate_limited` while a client has to wait; attempts at the
 * same time count each.
 */
export interface LoginThrottle {
  /** Whether somebody has the address or not. */
  startLoginAttempt(email: string, ip: string): Promise<Attempt>
  /** A password within a login. */
  startSessionAttempt(sessionId: string): Promise<Attempt>
  /** Forgets the failures of a client at an address. */
  clearClientFailures(email: string, ip: string): void
}

export interface LoginThrottleOptions {
  /** Where all nodes count together; without it each counts for itself. */
  readonly shared?: SharedFailures | null
  readonly maxKeys?: number
}

/** A failure that was counted, unless there is something to wait for. */
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
      const rest = await countAll([
        [key, isUnderAttack ? STRICT_RULES : CLIENT_RULES],
        [networkKey(ip), NETWORK_RULES],
      ])
      const withdraw = (): void => {
        addressAttempt.withdraw()
        rest.withdraw()
      }
      if (rest.waitMs > 0) {
        withdraw()
        throw tooManyFailures(rest.waitMs)
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
      if (waitMs > 0) throw tooManyFailures(waitMs)
      return { withdraw, succeed: () => clearFailures(key) }
    },

    clearClientFailures: (email, ip) => clearFailures(clientKey(email, ip)),
  }
}

/**
 * Counts together with the other nodes, and beside that what passes through this process: when the others cannot be asked, it
 * decides by that, and not as if nothing had happened.
 */
function createLoginCounts(clock: Omit<Clock, 'after'>, { shared = null, maxKeys }: LoginThrottleOptions) {
  const own = createFailureCounts(clock, { failureTtlMs: FAILURE_TTL_MS, maxKeys })

  async function count(key: string, rules: FailureRules): Promise<Counted> {
    const attempt = (await shared?.startAttempt([key], rules)) ?? null
    const waitMs = attempt === null ? own.waitFor(key, rules) : attempt.waitMs
    if (waitMs > 0) return { waitMs, withdraw: () => undefined }
    const withdrawOwn = own.count(key)
    return {
      waitMs,
      withdraw() {
        attempt?.withdraw()
        withdrawOwn()
      },
    }
  }

  function clearFailures(key: string): void {
    shared?.clearFailures(key)
    own.clearFailures(key)
  }

  /** Counts under each key in turn. What is refused counts nowhere. */
  async function countAll(limits: readonly (readonly [key: string, rules: FailureRules])[]): Promise<Counted> {
    const counted: Counted[] = []
    const withdraw = (): void => {
      for (const one of counted.splice(0)) one.withdraw()
    }
    for (const [key, rules] of limits) {
      const one = await count(key, rules)
      if (one.waitMs > 0) {
        withdraw()
        return { waitMs: one.waitMs, withdraw }
      }
      counted.push(one)
    }
    return { waitMs: 0, withdraw }
  }

  return { count, countAll, clearFailures }
}

function tooManyFailures(retryAfterMs: number): AppError {
  return new AppError('rate_limited', 'Too many failed attempts. Wait before the next one.', { retryAfterMs })
}
