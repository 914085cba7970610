import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** A script that Redis runs as one step, with its own time. */
export interface RedisScript {
  readonly source: string
  readonly digest: string
  /** Has to run before what is sent after it. */
  readonly isOrdered: boolean
}

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * A token bucket. Key: the bucket. Arguments: tokens a second, size. Answers 1 or 0 for taken or not, and the tokens that are
 * left. A full bucket needs no key, so that one expires when it would be full; the longest time is 30 days.
 */
export const TAKE_TOKEN = script(`
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
 * An attempt under several keys. Arguments: after how long failures are forgotten, then the waits by their number, from none on.
 * Answers the time to wait; when there is none the attempt is counted, and the answer goes on with the time, and for each key
 * the time of the failure before, or -1.
 */
export const START_ATTEMPT = script(
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
local answer = { 0, now }
for index, key in ipairs(KEYS) do
  redis.call('HSET', key, 'count', counts[index] + 1, 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', key, ARGV[1])
  answer[2 + index] = times[index]
end
return answer
`,
  true,
)

/**
 * Takes an attempt back. Arguments: after how long failures are forgotten, its time, and for each key the time of the failure
 * before. Where others have failed since, the key waits from theirs on.
 */
export const WITHDRAW_ATTEMPT = script(
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

function script(source: string, isOrdered = false): RedisScript {
  return { source, digest: createHash('sha1').update(source).digest('hex'), isOrdered }
}

/**
 * Runs a script by its digest; Redis gets its source only where it does not know it. Scripts that have to keep their place among
 * other commands send the source each time: a second try would come after what was sent meanwhile.
 */
export async function runScript(
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
