import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import type { SharedBuckets, SharedFailures } from '../../kernel/security/rate-limits.ts'
import { type RedisScript, runScript, START_ATTEMPT, TAKE_TOKEN, WITHDRAW_ATTEMPT } from './limit-scripts.ts'
import { asRedisError, type RedisConnection } from './redis-client.ts'

export interface RedisLimitsOptions {
  /** Not one that carries large messages: these would stand in the way. */
  readonly connection: Pick<RedisConnection, 'client' | 'status'>
  /** The same on all nodes of an installation, another one for each installation on the same Redis. */
  readonly installationId: string
  readonly clock: Clock
  /** Hears of refused scripts, once a second at most. */
  readonly logError: (name: string, error: unknown) => void
}

/** Limits that all nodes share. */
export interface RedisLimits {
  readonly buckets: SharedBuckets
  readonly failures: SharedFailures
}

/** On the way of every request. */
const TOKEN_DEADLINE_MS = 50
/** On the way of a login, whose hash alone takes longer. */
const ATTEMPT_DEADLINE_MS = 250
/** After a failure Redis is not asked for so long: not every request has to find out by itself. */
const PAUSE_MS = 1_000
/** Of a digest in base64url: 132 bits. */
const DIGEST_LENGTH = 22

/** Keeps them in Redis, timed by its clock. Everything there expires. */
export function createRedisLimits(options: RedisLimitsOptions): RedisLimits {
  const ask = createAsk(options)
  const { installationId } = options
  const toKey = (kind: string, key: string): string => {
    const digest = createHash('sha256').update(`${installationId}\n${key}`).digest('base64url')
    return `parley:${installationId}:${kind}:${digest.slice(0, DIGEST_LENGTH)}`
  }
  return {
    buckets: {
      async take(key, { perSecond, burst }) {
        const request = { script: TAKE_TOKEN, keys: [toKey('rate', key)], values: [perSecond, burst] }
        const answer = await ask(request, { deadlineMs: TOKEN_DEADLINE_MS })
        return Array.isArray(answer) ? { isTaken: answer[0] === 1, tokens: Number(answer[1]) } : null
      },
    },
    failures: createFailures(ask, options.connection, (key) => toKey('failures', key)),
  }
}

interface Request {
  readonly script: RedisScript
  readonly keys: readonly string[]
  readonly values: readonly (string | number)[]
}

interface AskOptions {
  readonly deadlineMs: number
  /** For an answer that nobody waits for any more. */
  readonly onLateAnswer?: (answer: unknown) => void
}

/** Null when there is no answer in time. Never rejects. */
type Ask = (request: Request, askOptions: AskOptions) => Promise<unknown>

function createAsk({ connection, clock, logError }: RedisLimitsOptions): Ask {
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(): void {
    pausedUntil = clock.now() + PAUSE_MS
  }

  return ({ script, keys, values }, { deadlineMs, onLateAnswer }) => {
    if (connection.status() !== null || clock.now() < pausedUntil) return Promise.resolve(null)
    return new Promise((resolve) => {
      let isLate = false
      const cancel = clock.after(deadlineMs, () => {
        isLate = true
        pause()
        resolve(null)
      })
      runScript(connection.client, script, keys, values).then(
        (answer) => {
          cancel()
          if (isLate) onLateAnswer?.(answer)
          else resolve(answer)
        },
        (error: unknown) => {
          cancel()
          // An outage is told by the connection.
          if (connection.status() === null && clock.now() >= pausedUntil) logError('redis limits', asRedisError(error))
          pause()
          resolve(null)
        },
      )
    })
  }
}

function createFailures(
  ask: Ask,
  { client, status }: RedisLimitsOptions['connection'],
  toKey: (key: string) => string,
): SharedFailures {
  return {
    async startAttempt(keys, { delaysMs, failureTtlMs }) {
      const redisKeys = keys.map(toKey)
      /** `counted` is the answer of a counted attempt. */
      const withdraw = ([, ...counted]: readonly unknown[]): void => {
        const values = [failureTtlMs, ...counted.map(Number)]
        // Nobody waits, so that a pause is no reason to leave it counted. What remains of it is forgotten after a while.
        if (status() === null) runScript(client, WITHDRAW_ATTEMPT, redisKeys, values).catch(() => {})
      }
      const isCounted = (answer: unknown): answer is readonly unknown[] => Array.isArray(answer) && answer[0] === 0
      const answer = await ask(
        { script: START_ATTEMPT, keys: redisKeys, values: [failureTtlMs, ...delaysMs] },
        // Somebody else has counted it meanwhile.
        { deadlineMs: ATTEMPT_DEADLINE_MS, onLateAnswer: (late) => isCounted(late) && withdraw(late) },
      )
      if (!Array.isArray(answer)) return null
      let isOpen = isCounted(answer)
      return {
        waitMs: Number(answer[0]),
        withdraw() {
          if (isOpen) withdraw(answer)
          isOpen = false
        },
      }
    },
    clearFailures(key) {
      if (status() !== null) return
      client.del(toKey(key)).catch(() => {})
    },
  }
}
