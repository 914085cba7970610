import type { Clock, CustomLlmClient, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'
import { joinUrl } from '../vendor-exchange.ts'
import { CustomLlmAnswer } from './custom-llm-answer.ts'
import { CustomLlmConnection, type CustomLlmSocket } from './custom-llm-connection.ts'
import { failureOfOpening, unavailable } from './custom-llm-frames.ts'

export interface CustomLlmClientOptions extends Omit<CustomLlmConnectionsOptions, 'maxConnections'> {
  /** Open connections in all; 1000 unless given. */
  readonly maxConnections?: number
}

const DEFAULT_MAX_CONNECTIONS = 1_000

/**
 * Talks to customers' servers, over one connection for each conversation, which is kept between turns. An answer of which
 * nothing was handed on yet is asked for once more when its connection is lost and the server wants that or the connection
 * was an old one.
 */
export function createCustomLlmClient(options: CustomLlmClientOptions): CustomLlmClient & { close(): Promise<void> } {
  const { clock, maxConnections = DEFAULT_MAX_CONNECTIONS } = options
  const connections = new CustomLlmConnections({ ...options, maxConnections })
  return {
    async *respond(request): AsyncGenerator<CustomLlmEvent> {
      const answer = new CustomLlmAnswer(request, clock)
      const asked = requestAnswer(answer, request, connections)
      try {
        yield* answer.events()
      } finally {
        answer.cancel()
        await asked
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
    for (let isLast = false; !answer.isOver; isLast = true) {
      const taken = await connections.take(request, answer.signal)
      if (!taken.ok) {
        answer.fail(taken.failure)
        return
      }
      const lost = await taken.connection.ask(request, answer)
      connections.release(request.conversationId, taken.connection)
      if (lost !== null && (isLast || answer.hasStarted || !lost.canRetry)) answer.fail(lost.failure)
    }
  } catch {
    answer.fail(unavailable('The connection to the server failed.'))
  }
}

/** Opens a socket where the guard allows it; the socket comes paused. Never rejects. */
type OpenCustomLlmSocket = (options: {
  readonly url: string
  /** For name, connection and handshake together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly maxPayloadBytes: number
}) => Promise<{ readonly ok: true; readonly socket: CustomLlmSocket } | OutboundFailure>

interface CustomLlmConnectionsOptions {
  readonly openSocket: OpenCustomLlmSocket
  readonly clock: Clock
  /** Open connections in all. */
  readonly maxConnections: number
}

type AcquiredConnection =
  | { readonly ok: true; readonly connection: CustomLlmConnection }
  | { readonly ok: false; readonly failure: ModelFailure }

/** How long a conversation's connection is kept without a turn. */
const IDLE_MS = 300_000
const HANDSHAKE_MS = 10_000
/** Of one message: more than any answer has in one piece. */
const MAX_PAYLOAD_BYTES = 1_048_576

const NO_ADDRESS: ModelFailure = {
  kind: 'rejected',
  message: 'The address of the server is not valid.',
  retryable: false,
}

const ignore = (): void => {}

interface Entry {
  readonly url: string
  readonly connection: CustomLlmConnection
  /** `null` while it is in use. */
  cancelIdle: (() => void) | null
}

/** The address of one conversation: the customer's, with the conversation as the last part of its path. */
export function conversationAddress(url: string, conversationId: string): string | null {
  if (!URL.canParse(url)) return null
  const address = joinUrl(url, `/${encodeURIComponent(conversationId)}`)
  address.hash = ''
  return address.href
}

/** Keeps one connection for each conversation between its turns, within bounds of time and number. */
class CustomLlmConnections {
  readonly #openSocket: OpenCustomLlmSocket
  readonly #clock: Clock
  readonly #maxConnections: number
  /** By conversation; those that became idle last stand last. */
  readonly #entries = new Map<string, Entry>()
  /** All that are not closed yet, those that are being closed included. */
  readonly #open = new Set<CustomLlmConnection>()
  readonly #closing = new AbortController()
  #opening = 0

  constructor(options: CustomLlmConnectionsOptions) {
    this.#openSocket = options.openSocket
    this.#clock = options.clock
    this.#maxConnections = options.maxConnections
  }

  /** The conversation's own connection, or a new one. `release` gives it back. */
  async take(request: CustomLlmRequest, signal: AbortSignal): Promise<AcquiredConnection> {
    const url = conversationAddress(request.url, request.conversationId)
    if (url === null) return { ok: false, failure: NO_ADDRESS }
    if (this.#closing.signal.aborted) return { ok: false, failure: stopping() }
    const kept = this.#entries.get(request.conversationId)
    if (kept?.url === url) {
      kept.cancelIdle?.()
      kept.cancelIdle = null
      return { ok: true, connection: kept.connection }
    }
    // The agent moved to another server.
    kept?.connection.end()
    if (!this.#makeRoom()) return { ok: false, failure: unavailable('Too many custom LLM servers are in use at once.') }
    return await this.#connect(url, request, signal)
  }

  /** Keeps the connection for the next turn, for a while. */
  release(conversationId: string, connection: CustomLlmConnection): void {
    const entry = this.#entries.get(conversationId)
    if (entry?.connection !== connection || connection.isBusy) return
    entry.cancelIdle?.()
    entry.cancelIdle = this.#clock.after(IDLE_MS, () => connection.end())
    this.#entries.delete(conversationId)
    this.#entries.set(conversationId, entry)
  }

  /** Closes all connections; answers under way are lost, and none is opened any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    for (const connection of this.#open) connection.end(stopping())
    await Promise.all([...this.#open].map(({ closed }) => closed))
  }

  async #connect(url: string, request: CustomLlmRequest, signal: AbortSignal): Promise<AcquiredConnection> {
    const { firstTokenMs, totalMs } = request.deadlines
    this.#opening += 1
    const opened = await this.#openSocket({
      url,
      timeoutMs: Math.min(HANDSHAKE_MS, firstTokenMs, totalMs),
      signal: AbortSignal.any([signal, this.#closing.signal]),
      maxPayloadBytes: MAX_PAYLOAD_BYTES,
    }).finally(() => {
      this.#opening -= 1
    })
    if (!opened.ok) return { ok: false, failure: failureOfOpening(opened) }
    return { ok: true, connection: this.#keep(url, request, opened.socket) }
  }

  #keep(url: string, { conversationId, conversation }: CustomLlmRequest, socket: CustomLlmSocket): CustomLlmConnection {
    const onEnd = (): void => {
      const entry = this.#entries.get(conversationId)
      if (entry?.connection !== connection) return
      entry.cancelIdle?.()
      this.#entries.delete(conversationId)
    }
    const connection = new CustomLlmConnection(socket, { clock: this.#clock, details: conversation, onEnd })
    this.#open.add(connection)
    connection.closed.then(() => this.#open.delete(connection), ignore)
    // Two turns of one conversation may have opened one each; the wire has one.
    this.#entries.get(conversationId)?.connection.end()
    this.#entries.set(conversationId, { url, connection, cancelIdle: null })
    if (this.#closing.signal.aborted) connection.end(stopping())
    return connection
  }

  #makeRoom(): boolean {
    if (this.#entries.size + this.#opening < this.#maxConnections) return true
    for (const entry of this.#entries.values()) {
      if (entry.cancelIdle === null) continue
      entry.connection.end()
      return true
    }
    return false
  }
}

function stopping(): ModelFailure {
  return unavailable('The connections to custom LLM servers are being closed.')
}
