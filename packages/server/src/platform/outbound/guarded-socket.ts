import type { Socket } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { WebSocket } from 'ws'
import { startDeadline } from './deadline.ts'
import { createGuardedConnector, describeFailure, type GuardOptions, getPort, OutboundError } from './guarded-agent.ts'
import { findUrlProblem, type HeaderMap, prepareHeaders } from './outbound-headers.ts'
import type { OutboundFailure } from './outbound-request.ts'

/** A WebSocket to a customer's address. */
export interface SocketRequest {
  /** `ws:` or `wss:` URL. A fragment is dropped. */
  readonly url: string
  readonly headers?: HeaderMap
  /** Time limit of name resolution, connection and handshake. */
  readonly timeoutMs: number
  /** Maximum size of one message. A longer message closes the socket with code 1009. */
  readonly maxPayloadBytes: number
  /** Header with the server's ID of a request. If the server refuses the handshake, the failure message contains the ID. */
  readonly requestIdHeader?: string | undefined
  /** Header with the server's reason for refusing the handshake, which the failure contains as `serverReason`. */
  readonly reasonHeader?: string | undefined
  /** Aborting while the socket opens fails immediately with `cancelled`. Aborting does not affect an open socket. */
  readonly signal?: AbortSignal | undefined
}

export type SocketOutcome = { readonly ok: true; readonly socket: WebSocket } | OutboundFailure

/**
 * Opens a WebSocket. Never rejects. The socket is paused, so that no message is lost: add the listeners, then call
 * `socket.resume()`. Errors are followed by a `close` event and need no listener.
 */
export type OpenGuardedSocket = (request: SocketRequest) => Promise<SocketOutcome>

export interface GuardedSocketOptions extends GuardOptions {
  readonly clock: Clock
}

const MAX_REASON_CHARACTERS = 1_000

/** Creates a function that opens guarded WebSockets, which checks each address and follows no redirects. */
export function createGuardedSocketOpener(options: GuardedSocketOptions): OpenGuardedSocket {
  return (request) => openSocket(request, options)
}

interface Handshake extends Pick<SocketRequest, 'maxPayloadBytes' | 'requestIdHeader' | 'reasonHeader'> {
  readonly url: URL
  readonly headers: HeaderMap
  readonly signal: AbortSignal
}

async function openSocket(request: SocketRequest, options: GuardedSocketOptions): Promise<SocketOutcome> {
  const preparedHandshake = prepareHandshake(request)
  if ('ok' in preparedHandshake) return preparedHandshake
  const deadline = startDeadline(options.clock, request.timeoutMs, request.signal)
  const { maxPayloadBytes, requestIdHeader, reasonHeader } = request
  const handshake = {
    ...preparedHandshake,
    ...{ maxPayloadBytes, requestIdHeader, reasonHeader },
    signal: deadline.signal,
  }
  let connection: Socket | null = null
  try {
    deadline.signal.throwIfAborted()
    connection = await connect(handshake, options)
    return await performHandshake(handshake, connection)
  } catch (error) {
    connection?.destroy()
    const endReason = deadline.getEndReason()
    if (endReason === null) return describeFailure(error, null)
    const message =
      endReason === 'timeout'
        ? `The server did not open the WebSocket within ${request.timeoutMs} ms.`
        : 'The request was cancelled.'
    return { ok: false, reason: endReason, message, status: null }
  } finally {
    deadline.release()
  }
}

function prepareHandshake(request: SocketRequest): Pick<Handshake, 'url' | 'headers'> | OutboundFailure {
  const url = URL.canParse(request.url) ? new URL(request.url) : null
  const problem = url === null ? 'The address is not a valid URL.' : findUrlProblem(url, ['ws', 'wss'])
  if (url === null || problem !== null) return createInvalidRequestFailure(problem ?? '')
  const headerResult = prepareHeaders(request.headers ?? {})
  if ('problem' in headerResult) return createInvalidRequestFailure(headerResult.problem)
  url.hash = ''
  // The client library sets the headers of the handshake.
  const headers = Object.entries(headerResult.headers).filter(([name]) => !name.startsWith('sec-websocket-'))
  return { url, headers: Object.fromEntries(headers) }
}

function createInvalidRequestFailure(message: string): OutboundFailure {
  return { ok: false, reason: 'invalid-request', message, status: null }
}

/** Connects to the target. Rejects as soon as the signal aborts, and closes a connection that opens later. */
function connect({ url, signal }: Handshake, guard: GuardOptions): Promise<Socket> {
  const target = new URL(url.href.replace(/^ws/, 'http'))
  const port = getPort(target)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    createGuardedConnector(guard, port)(
      {
        hostname: target.hostname.replace(/^\[(.*)\]$/, '$1'),
        host: target.host,
        protocol: target.protocol,
        port: String(port),
      },
      (error, connection) => {
        signal.removeEventListener('abort', onAbort)
        if (error !== null) reject(error)
        else if (signal.aborted) connection.destroy()
        else resolve(connection)
      },
    )
  })
}

/** Performs the WebSocket handshake over a checked connection. */
function performHandshake(
  { url, headers, maxPayloadBytes, requestIdHeader, reasonHeader, signal }: Handshake,
  connection: Socket,
): Promise<Extract<SocketOutcome, { ok: true }> | OutboundFailure> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: { ...headers },
      maxPayload: maxPayloadBytes,
      followRedirects: false,
      // Compression takes memory per connection, and a few received bytes could expand into large messages.
      perMessageDeflate: false,
      createConnection: () => connection,
    })
    // Never removed, because a socket error without a listener ends the process.
    socket.on('error', (error) => reject('code' in error ? error : createNotWebSocketError()))
    const onAbort = (): void => {
      reject(signal.reason)
      socket.terminate()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', onAbort))
    socket.once('unexpected-response', (_, { statusCode = 0, headers: responseHeaders }) => {
      const readHeader = (name = ''): string => String(responseHeaders[name.toLowerCase()] ?? '')
      const failure = createStatusFailure(statusCode, readHeader(requestIdHeader))
      const serverReason = readHeader(reasonHeader).slice(0, MAX_REASON_CHARACTERS)
      resolve(serverReason === '' ? failure : { ...failure, serverReason })
      socket.terminate()
    })
    socket.once('open', () => {
      signal.removeEventListener('abort', onAbort)
      socket.pause()
      resolve({ ok: true, socket })
    })
  })
}

function createNotWebSocketError(): OutboundError {
  return new OutboundError('network', 'The server did not complete the WebSocket handshake.')
}

function createStatusFailure(status: number, requestId: string): OutboundFailure {
  if (status >= 300 && status <= 399) {
    const message = 'The server responded with a redirect, which is not allowed.'
    return { ok: false, reason: 'blocked-target', message, status }
  }
  // Other values could contain anything, such as a part of the request.
  const idText = /^[\w-]{1,64}$/.test(requestId) ? ` Request ID: ${requestId}.` : ''
  const message = `The server responded with status ${status} instead of opening a WebSocket.${idText}`
  return { ok: false, reason: 'network', message, status }
}
