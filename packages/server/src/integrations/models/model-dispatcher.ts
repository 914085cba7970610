import { Agent } from 'undici'

const CONNECT_TIMEOUT_MS = 5_000
/** Below the idle limit of common vendors and proxies (60 s), so that turns rarely use a socket that is about to close. */
const KEEP_ALIVE_MS = 20_000

/**
 * Creates the connection pool of all model clients. Uses only HTTP/1.1, so that canceling a turn closes its socket and stops
 * the vendor immediately. `connect` can guard targets. The caller must close the pool.
 */
export function createModelDispatcher(connect?: Agent.Options['connect']): Agent {
  return new Agent({
    allowH2: false,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // The wire client uses one timer per stream for both timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
