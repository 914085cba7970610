import type { Clock, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'
import { joinUrl } from '../models/wire-client.ts'
import { CustomLlmConnection, type CustomLlmSocket } from './custom-llm-connection.ts'
import { failureOfOpening, unavailable } from './custom-llm-failures.ts'

/** Opens a socket where the guard allows it; the socket comes paused. Never rejects. */
export type OpenCustomLlmSocket = (options: {
  readonly url: string
  /** For name, connection and handshake together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly maxPayloadBytes: number
}) => Promise<{ readonly ok: true; readonly socket: CustomLlmSocket } | OutboundFailure>

export interface CustomLlmConnectionsOptions {
  readonly openSocket: OpenCustomLlmSocket
  readonly clock: Clock
  /** Open connections in all. */
  readonly maxConnections: number
}

export type AcquiredConnection =
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
export class CustomLlmConnections {
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
    // The agent was moved to another server meanwhile.
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
