import { Agent } from 'undici'

const CONNECT_TIMEOUT_MS = 5_000
/** Below the idle limit of common providers and proxies (60 s), so that a turn rarely meets a socket about to close. */
const KEEP_ALIVE_MS = 20_000

/**
 * The connection pool that all model clients share. HTTP/1.1 only: there, cancelling a turn closes its socket and so stops
 * the provider at once. `connect` lets a guard decide about targets. The owner closes it.
 */
export function createModelDispatcher(connect?: Agent.Options['connect']): Agent {
  return new Agent({
    allowH2: false,
    connect: connect ?? { timeout: CONNECT_TIMEOUT_MS },
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // One timer per stream (in the wire client) does for both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
