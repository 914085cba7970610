import { isIP } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { Redis } from 'ioredis'

export interface RedisOptions {
  /** `redis://` or, encrypted, `rediss://`. */
  readonly url: string
  /** What the connection is for; shown in the list of clients and in the log. */
  readonly name: string
  readonly clock: Pick<Clock, 'after'>
  /** Hears of each outage once, without addresses and secrets. */
  readonly logError: (name: string, error: unknown) => void
  readonly onReady?: () => void
  readonly onLost?: () => void
}

/** One connection to Redis, which comes back by itself after an outage. */
export interface RedisConnection {
  /** Refuses commands at once while there is no connection, and those that wait when it breaks. */
  readonly client: Redis
  /** Null while commands are answered; else a sentence for operators. */
  status(): string | null
  close(): void
}

const CONNECT_TIMEOUT_MS = 5_000
/** From the connection to its first answers: whoever takes connections may still be no server that works. */
const HANDSHAKE_TIMEOUT_MS = 5_000
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 2_000
/** A cable that is cut says nothing: whoever does not answer this is gone. */
const PING_EVERY_MS = 10_000
const PING_TIMEOUT_MS = 5_000
/** For a farewell, before the socket of a connection is destroyed. */
const FAREWELL_MS = 100

/** A failure of the connection. The client's own errors may carry the password among the arguments of their command. */
class RedisError extends Error {
  readonly code: string
  constructor(sentence: string, code: string) {
    super(sentence)
    this.name = 'RedisError'
    this.code = code
  }
}

/** What may be logged of an error of the client. */
export function asRedisError(error: unknown): RedisError {
  return new RedisError('Redis did not do what it was asked for.', codeOf(error))
}

/** Connects at once, in the background. The only place where clients of Redis are made. */
export function openRedis({ url, name, clock, logError, onReady, onLost }: RedisOptions): RedisConnection {
  const client = new Redis({
    ...readAddress(url),
    connectionName: `parley-${name}`,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: FAREWELL_MS,
    retryStrategy: retryDelayMs,
    // What is not sent or answered on one connection fails with it: whoever asked has waited long enough.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
  })
  let isReady = false
  let isFailureLogged = false
  let reason: unknown = null
  let cancelTimers = (): void => {}

  function watch(): void {
    cancelTimers = clock.after(PING_EVERY_MS, () => {
      const cancelDeadline = clock.after(PING_TIMEOUT_MS, () => client.disconnect(true))
      cancelTimers = cancelDeadline
      client.ping().then(
        () => {
          cancelDeadline()
          if (isReady) watch()
        },
        () => cancelDeadline(),
      )
    })
  }

  client.on('error', (error: unknown) => {
    reason = error
  })
  client.on('connect', () => {
    cancelTimers()
    cancelTimers = clock.after(HANDSHAKE_TIMEOUT_MS, () => client.disconnect(true))
  })
  client.on('ready', () => {
    isReady = true
    isFailureLogged = false
    reason = null
    cancelTimers()
    watch()
    onReady?.()
  })
  client.on('close', () => {
    const wasReady = isReady
    isReady = false
    cancelTimers()
    if (client.status !== 'end' && !isFailureLogged) {
      isFailureLogged = true
      logError(`redis ${name}`, new RedisError('There is no connection to Redis.', codeOf(reason)))
    }
    if (wasReady) onLost?.()
  })
  // Its failure has been told above.
  client.connect().catch(() => {})

  return {
    client,
    status: () => (isReady ? null : `Redis cannot be reached (${codeOf(reason)}).`),
    close() {
      isFailureLogged = true
      cancelTimers()
      client.disconnect()
    },
  }
}

/** Exponential from 50 ms, at most 2 s. */
function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, attempt - 1))
}

/** A word that says what went wrong: the system's code, or the first word of an answer such as `WRONGPASS …`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  return /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? 'no answer'
}

/** The parts of the URL, read here so that nothing in it can change the options below. */
function readAddress(url: string) {
  const { protocol, hostname, port, pathname, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const database = /^\/(\d{1,5})$/.exec(pathname)?.[1]
  return {
    host,
    port: port === '' ? 6379 : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(database !== undefined && { db: Number(database) }),
    // Servers of many names choose their certificate by the name that is asked for.
    ...(protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} }),
  }
}
