import { isIP } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { Redis } from 'ioredis'

export interface RedisOptions {
  /** `redis://` URL, or `rediss://` for an encrypted connection. */
  readonly url: string
  /** Purpose of the connection, displayed in Redis' client list and the log. */
  readonly name: string
  readonly clock: Pick<Clock, 'after'>
  /** Receives each outage once, without addresses and secrets. */
  readonly logError: (name: string, error: unknown) => void
  readonly onReady?: () => void
  readonly onLost?: () => void
}

/** One connection to Redis, which reconnects after an outage. */
export interface RedisConnection {
  /** Redis client. Commands fail immediately if there is no connection or if the connection breaks. */
  readonly client: Redis
  /** Describes the outage to operators. Returns null while Redis responds to commands. */
  getFault(): string | null
  close(): void
}

const CONNECT_TIMEOUT_MS = 5_000
/** Time limit from connecting to the first replies, because a listening port may not belong to a working server. */
const HANDSHAKE_TIMEOUT_MS = 5_000
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 2_000
/** A lost network does not close connections, so pings detect the loss. */
const PING_INTERVAL_MS = 10_000
const PING_TIMEOUT_MS = 5_000
/** Time limit of a graceful close before the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 100

/** Error of a failed connection or command. The client's own errors can contain the password as a command argument. */
class RedisError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'RedisError'
    this.code = code
  }
}

/** Converts a client error into an error that is safe to log. */
export function toRedisError(error: unknown): RedisError {
  return new RedisError('A Redis command failed.', toErrorCode(error))
}

/** Connects in the background. All Redis clients are created here. */
export function openRedis({ url, name, clock, logError, onReady, onLost }: RedisOptions): RedisConnection {
  const client = new Redis({
    ...parseUrl(url),
    connectionName: `parley-${name}`,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: CLOSE_TIMEOUT_MS,
    retryStrategy: computeRetryDelayMs,
    // Pending commands fail with their connection, because their callers have waited long enough.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
  })
  let isReady = false
  let isFailureLogged = false
  let reason: unknown = null
  let cancelTimers = (): void => {}

  function schedulePing(): void {
    cancelTimers = clock.after(PING_INTERVAL_MS, () => {
      const cancelDeadline = clock.after(PING_TIMEOUT_MS, () => client.disconnect(true))
      cancelTimers = cancelDeadline
      client.ping().then(
        () => {
          cancelDeadline()
          if (isReady) schedulePing()
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
    schedulePing()
    onReady?.()
  })
  client.on('close', () => {
    const wasReady = isReady
    isReady = false
    cancelTimers()
    if (client.status !== 'end' && !isFailureLogged) {
      isFailureLogged = true
      logError(`redis ${name}`, new RedisError('The Redis connection failed.', toErrorCode(reason)))
    }
    if (wasReady) onLost?.()
  })
  // The `close` handler reports the failure.
  client.connect().catch(() => {})

  return {
    client,
    getFault: () => (isReady ? null : `Redis cannot be reached (${toErrorCode(reason)}).`),
    close() {
      isFailureLogged = true
      cancelTimers()
      client.disconnect()
    },
  }
}

/** Returns an exponential delay from 50 ms up to 2 s. */
function computeRetryDelayMs(attempt: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, attempt - 1))
}

/** Returns an error code: the system's code, or the first word of a reply such as `WRONGPASS …`. */
function toErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'no response'
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  return /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? 'no response'
}

/** Parses the URL separately, so that it cannot change other client options. */
function parseUrl(url: string) {
  const { protocol, hostname, port, pathname, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const database = /^\/(\d{1,5})$/.exec(pathname)?.[1]
  return {
    host,
    port: port === '' ? 6379 : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(database !== undefined && { db: Number(database) }),
    // A server with several names chooses its certificate by the requested name.
    ...(protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} }),
  }
}
