import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import type { Redis } from 'ioredis'
import type { SharedBuckets, SharedFailures } from '../../kernel/security/rate-limits.ts'
import { type RedisConnection, toRedisError } from './redis-client.ts'

/** A script that Redis runs atomically with its own clock. */
interface RedisScript {
  readonly source: string
  readonly digest: string
  /** Whether the script must run before commands that are sent after it. */
  readonly isOrdered: boolean
}

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * Takes from a token bucket. Key: the bucket. Arguments: tokens per second, size. Returns 1 if a token was taken, otherwise 0,
 * and the tokens left. A full bucket needs no key, so keys expire when full, after 30 days at most.
 */
const TAKE_TOKEN = defineScript(`
${NOW}
local per_second, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens = burst
local known = redis.call('GET', KEYS[1])
if known then
  local before, at = string.match(known, '^(%S+) (%S+)$')
  tokens = math.min(burst, tonumber(before) + math.max(0, now - tonumber(at)) / 1000 * per_second)
end
local taken = 0
if tokens >= 1 - 1e-9 then
  taken = 1
  tokens = math.max(0, tokens - 1)
end
local full_in = math.min(2592000000, math.ceil((burst - tokens) / per_second * 1000) + 1)
redis.call('SET', KEYS[1], string.format('%.9f %.0f', tokens, now), 'PX', string.format('%.0f', full_in))
return { taken, string.format('%.9f', tokens) }
`)

/**
 * Starts an attempt under several keys. Arguments: lifetime of failures, then delays by the number of failures, starting at
 * zero. Returns the time to wait. If the time is 0, the attempt is counted, and the current time and the time of each key's
 * previous failure (or -1) follow.
 */
const START_ATTEMPT = defineScript(
  `
${NOW}
local waits = #ARGV - 1
local wait = 0
local counts, times = {}, {}
for index, key in ipairs(KEYS) do
  local known = redis.call('HMGET', key, 'count', 'at')
  local count, at = tonumber(known[1] or 0), tonumber(known[2] or -1)
  counts[index], times[index] = count, at
  if at >= 0 then
    wait = math.max(wait, at + tonumber(ARGV[1 + math.min(count + 1, waits)]) - now)
  end
end
if wait > 0 then return { wait } end
local result = { 0, now }
for index, key in ipairs(KEYS) do
  redis.call('HSET', key, 'count', counts[index] + 1, 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', key, ARGV[1])
  result[2 + index] = times[index]
end
return result
`,
  true,
)

/**
 * Withdraws an attempt. Arguments: lifetime of failures, time of the attempt, and the time of the previous failure for each
 * key. A later failure of another attempt keeps its time.
 */
const WITHDRAW_ATTEMPT = defineScript(
  `
for index, key in ipairs(KEYS) do
  local known = redis.call('HMGET', key, 'count', 'at')
  local count, before = tonumber(known[1] or 0), tonumber(ARGV[2 + index])
  if count <= 1 then
    redis.call('DEL', key)
  else
    redis.call('HSET', key, 'count', count - 1)
    if known[2] == ARGV[2] and before >= 0 then
      redis.call('HSET', key, 'at', ARGV[2 + index])
      redis.call('PEXPIREAT', key, string.format('%.0f', before + tonumber(ARGV[1])))
    end
  end
end
return 1
`,
  true,
)

function defineScript(source: string, isOrdered = false): RedisScript {
  return { source, digest: createHash('sha1').update(source).digest('hex'), isOrdered }
}

/**
 * Runs a script by digest and sends its source if the digest is unknown. Scripts that must keep their order always send the
 * source, because a retry would run late.
 */
async function runScript(
  client: Redis,
  { source, digest, isOrdered }: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  if (isOrdered) return await client.eval(source, keys.length, ...keys, ...values)
  try {
    return await client.evalsha(digest, keys.length, ...keys, ...values)
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return await client.eval(source, keys.length, ...keys, ...values)
  }
}

export interface RedisLimitsOptions {
  /** A connection without large messages, which would delay the scripts. */
  readonly connection: Pick<RedisConnection, 'client' | 'getFault'>
  /** Shared by all nodes of an installation and unique among installations on the same Redis server. */
  readonly installationId: string
  readonly clock: Clock
  /** Receives failed scripts, at most once per second. */
  readonly logError: (name: string, error: unknown) => void
}

/** Limits that all nodes share. */
export interface RedisLimits {
  readonly buckets: SharedBuckets
  readonly failures: SharedFailures
}

/** Kept short, because it delays every request. */
const TOKEN_DEADLINE_MS = 50
/** Longer than for tokens, because hashing the password takes even longer. */
const ATTEMPT_DEADLINE_MS = 250
/** Time for which Redis is skipped after a failure, so that not every request waits for it. */
const PAUSE_MS = 1_000
/** Number of characters of a base64url digest: 132 bits. */
const DIGEST_LENGTH = 22

/** Creates limits that are stored in Redis and use its clock. All keys expire. */
export function createRedisLimits(options: RedisLimitsOptions): RedisLimits {
  const sendRequest = createRequestSender(options)
  const { installationId } = options
  const toKey = (kind: string, key: string): string => {
    const digest = createHash('sha256').update(`${installationId}\n${key}`).digest('base64url')
    return `parley:${installationId}:${kind}:${digest.slice(0, DIGEST_LENGTH)}`
  }
  return {
    buckets: {
      async take(key, { perSecond, burst }) {
        const request = { script: TAKE_TOKEN, keys: [toKey('rate', key)], values: [perSecond, burst] }
        const response = await sendRequest(request, { deadlineMs: TOKEN_DEADLINE_MS })
        return Array.isArray(response) ? { isTaken: response[0] === 1, tokens: Number(response[1]) } : null
      },
    },
    failures: createFailures(sendRequest, options.connection, (key) => toKey('failures', key)),
  }
}

interface Request {
  readonly script: RedisScript
  readonly keys: readonly string[]
  readonly values: readonly (string | number)[]
}

interface SendOptions {
  readonly deadlineMs: number
  /** Receives a response that arrives after the deadline. */
  readonly onLateResponse?: (response: unknown) => void
}

/** Sends a request. Resolves to null if no response arrives in time. Never rejects. */
type SendRequest = (request: Request, options: SendOptions) => Promise<unknown>

function createRequestSender({ connection, clock, logError }: RedisLimitsOptions): SendRequest {
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pauseRedis(): void {
    pausedUntil = clock.now() + PAUSE_MS
  }

  return ({ script, keys, values }, { deadlineMs, onLateResponse }) => {
    if (connection.getFault() !== null || clock.now() < pausedUntil) return Promise.resolve(null)
    return new Promise((resolve) => {
      let isLate = false
      const cancel = clock.after(deadlineMs, () => {
        isLate = true
        pauseRedis()
        resolve(null)
      })
      runScript(connection.client, script, keys, values).then(
        (response) => {
          cancel()
          if (isLate) onLateResponse?.(response)
          else resolve(response)
        },
        (error: unknown) => {
          cancel()
          // The connection reports outages.
          if (connection.getFault() === null && clock.now() >= pausedUntil)
            logError('redis limits', toRedisError(error))
          pauseRedis()
          resolve(null)
        },
      )
    })
  }
}

function createFailures(
  sendRequest: SendRequest,
  { client, getFault }: RedisLimitsOptions['connection'],
  toKey: (key: string) => string,
): SharedFailures {
  return {
    async startAttempt(keys, { delaysMs, failureTtlMs }) {
      const redisKeys = keys.map(toKey)
      /** `counted` is the response to a counted attempt. */
      const withdraw = ([, ...counted]: readonly unknown[]): void => {
        const values = [failureTtlMs, ...counted.map(Number)]
        // Withdraws even during a pause, because no request waits for it. If this fails, the counted failure expires later.
        if (getFault() === null) runScript(client, WITHDRAW_ATTEMPT, redisKeys, values).catch(() => {})
      }
      const isCounted = (response: unknown): response is readonly unknown[] =>
        Array.isArray(response) && response[0] === 0
      const result = await sendRequest(
        { script: START_ATTEMPT, keys: redisKeys, values: [failureTtlMs, ...delaysMs] },
        // The attempt failed in this process, so a late count is withdrawn.
        { deadlineMs: ATTEMPT_DEADLINE_MS, onLateResponse: (late) => isCounted(late) && withdraw(late) },
      )
      if (!Array.isArray(result)) return null
      let isOpen = isCounted(result)
      return {
        waitMs: Number(result[0]),
        withdraw() {
          if (isOpen) withdraw(result)
          isOpen = false
        },
      }
    },
    clearFailures(key) {
      if (getFault() !== null) return
      client.del(toKey(key)).catch(() => {})
    },
  }
}
