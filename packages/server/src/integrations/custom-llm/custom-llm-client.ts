import type { Clock, CustomLlmClient, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'
import { toConnectFailure } from '../connect-failure.ts'
import { joinUrl } from '../vendor-exchange.ts'
import { CustomLlmAnswer } from './custom-llm-answer.ts'
import { CustomLlmConnection, type CustomLlmSocket } from './custom-llm-connection.ts'
import { createUnavailableFailure } from './custom-llm-frames.ts'

export interface CustomLlmClientOptions extends Omit<CustomLlmConnectionsOptions, 'maxConnections'> {
  /** Maximum number of open connections; defaults to 1000. */
  readonly maxConnections?: number
}

const DEFAULT_MAX_CONNECTIONS = 1_000

/**
 * Creates the client for customers' servers. Each conversation has one connection, which is kept between turns. If a connection
 * is lost before its response starts, the response is requested once more, provided that the server allows it or the connection
 * was reused.
 */
export function createCustomLlmClient(options: CustomLlmClientOptions): CustomLlmClient & { close(): Promise<void> } {
  const { clock, maxConnections = DEFAULT_MAX_CONNECTIONS } = options
  const connections = new CustomLlmConnections({ ...options, maxConnections })
  return {
    async *respond(request): AsyncGenerator<CustomLlmEvent> {
      const answer = new CustomLlmAnswer(request, clock)
      const completion = requestAnswer(answer, request, connections)
      try {
        yield* answer.streamEvents()
      } finally {
        answer.cancel()
        await completion
      }
    },
    close: () => connections.close(),
  }
}

async function requestAnswer(
  answer: CustomLlmAnswer,
  request: CustomLlmRequest,
  connections: CustomLlmConnections,
): Promise<void> {
  try {
    for (let isRetry = false; !answer.hasEnded; isRetry = true) {
      const acquisition = await connections.acquire(request, answer.signal)
      if (!acquisition.ok) {
        answer.fail(acquisition.failure)
        return
      }
      const failedAnswer = await acquisition.connection.requestAnswer(request, answer)
      connections.release(request.conversationId, acquisition.connection)
      if (failedAnswer !== null && (isRetry || answer.hasStarted || !failedAnswer.canRetry))
        answer.fail(failedAnswer.failure)
    }
  } catch {
    answer.fail(createUnavailableFailure('The connection to the server failed.'))
  }
}

/** Opens a guarded socket, which starts paused. Never rejects. */
type OpenCustomLlmSocket = (options: {
  readonly url: string
  /** Time limit of name resolution, connection and handshake. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly maxPayloadBytes: number
}) => Promise<{ readonly ok: true; readonly socket: CustomLlmSocket } | OutboundFailure>

interface CustomLlmConnectionsOptions {
  readonly openSocket: OpenCustomLlmSocket
  readonly clock: Clock
  /** Maximum number of open connections. */
  readonly maxConnections: number
}

type AcquiredConnection =
  | { readonly ok: true; readonly connection: CustomLlmConnection }
  | { readonly ok: false; readonly failure: ModelFailure }

/** Time for which an idle connection is kept open. */
const IDLE_TIMEOUT_MS = 300_000
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Maximum size of one message, larger than any response. */
const MAX_PAYLOAD_BYTES = 1_048_576

const INVALID_URL_FAILURE: ModelFailure = {
  kind: 'rejected',
  message: 'The server URL is invalid.',
  retryable: false,
}

const noop = (): void => {}

interface ConnectionEntry {
  readonly url: string
  readonly connection: CustomLlmConnection
  /** Null while the connection is in use. */
  cancelIdle: (() => void) | null
}

/** Returns the customer's URL with the conversation id appended to its path, or null if the URL is invalid. */
export function buildConversationUrl(url: string, conversationId: string): string | null {
  if (!URL.canParse(url)) return null
  const conversationUrl = joinUrl(url, `/${encodeURIComponent(conversationId)}`)
  conversationUrl.hash = ''
  return conversationUrl.href
}

/** Keeps one connection per conversation open between turns, up to an idle timeout and a maximum number. */
class CustomLlmConnections {
  readonly #openSocket: OpenCustomLlmSocket
  readonly #clock: Clock
  readonly #maxConnections: number
  /** Connections by conversation, longest idle first. */
  readonly #entries = new Map<string, ConnectionEntry>()
  /** All connections that are not closed, including closing connections. */
  readonly #openConnections = new Set<CustomLlmConnection>()
  readonly #closeController = new AbortController()
  #openingCount = 0

  constructor(options: CustomLlmConnectionsOptions) {
    this.#openSocket = options.openSocket
    this.#clock = options.clock
    this.#maxConnections = options.maxConnections
  }

  /** Returns the conversation's connection or opens one. Callers return it with `release`. */
  async acquire(request: CustomLlmRequest, signal: AbortSignal): Promise<AcquiredConnection> {
    const url = buildConversationUrl(request.url, request.conversationId)
    if (url === null) return { ok: false, failure: INVALID_URL_FAILURE }
    if (this.#closeController.signal.aborted) return { ok: false, failure: createStoppingFailure() }
    const existing = this.#entries.get(request.conversationId)
    if (existing?.url === url) {
      existing.cancelIdle?.()
      existing.cancelIdle = null
      return { ok: true, connection: existing.connection }
    }
    // The agent now uses a different server.
    existing?.connection.end()
    if (!this.#ensureCapacity())
      return { ok: false, failure: createUnavailableFailure('Too many connections to custom LLM servers are open.') }
    return await this.#connect(url, request, signal)
  }

  /** Keeps the connection for the next turn until the idle timeout. */
  release(conversationId: string, connection: CustomLlmConnection): void {
    const entry = this.#entries.get(conversationId)
    if (entry?.connection !== connection || connection.isBusy) return
    entry.cancelIdle?.()
    entry.cancelIdle = this.#clock.after(IDLE_TIMEOUT_MS, () => connection.end())
    this.#entries.delete(conversationId)
    this.#entries.set(conversationId, entry)
  }

  /** Closes all connections. Running responses fail, and no further connection is opened. */
  async close(): Promise<void> {
    this.#closeController.abort()
    for (const connection of this.#openConnections) connection.end(createStoppingFailure())
    await Promise.all([...this.#openConnections].map(({ closed }) => closed))
  }

  async #connect(url: string, request: CustomLlmRequest, signal: AbortSignal): Promise<AcquiredConnection> {
    const { firstTokenMs, totalMs } = request.deadlines
    this.#openingCount += 1
    const socketOutcome = await this.#openSocket({
      url,
      timeoutMs: Math.min(HANDSHAKE_TIMEOUT_MS, firstTokenMs, totalMs),
      signal: AbortSignal.any([signal, this.#closeController.signal]),
      maxPayloadBytes: MAX_PAYLOAD_BYTES,
    }).finally(() => {
      this.#openingCount -= 1
    })
    if (!socketOutcome.ok) return { ok: false, failure: toConnectFailure(socketOutcome) }
    return { ok: true, connection: this.#addConnection(url, request, socketOutcome.socket) }
  }

  #addConnection(url: string, request: CustomLlmRequest, socket: CustomLlmSocket): CustomLlmConnection {
    const { conversationId, conversation } = request
    const onEnd = (): void => {
      const entry = this.#entries.get(conversationId)
      if (entry?.connection !== connection) return
      entry.cancelIdle?.()
      this.#entries.delete(conversationId)
    }
    const connection = new CustomLlmConnection(socket, { clock: this.#clock, details: conversation, onEnd })
    this.#openConnections.add(connection)
    connection.closed.then(() => this.#openConnections.delete(connection), noop)
    // Two turns of a conversation may each have opened a connection, but the protocol allows only one.
    this.#entries.get(conversationId)?.connection.end()
    this.#entries.set(conversationId, { url, connection, cancelIdle: null })
    if (this.#closeController.signal.aborted) connection.end(createStoppingFailure())
    return connection
  }

  #ensureCapacity(): boolean {
    if (this.#entries.size + this.#openingCount < this.#maxConnections) return true
    for (const entry of this.#entries.values()) {
      if (entry.cancelIdle === null) continue
      entry.connection.end()
      return true
    }
    return false
  }
}

function createStoppingFailure(): ModelFailure {
  return createUnavailableFailure('The connections to custom LLM servers are being closed.')
}
