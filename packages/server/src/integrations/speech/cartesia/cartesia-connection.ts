import type { SpeechFailure } from '@parley/engine/voice/ports'
import { CARTESIA_VERSION } from '../../cartesia-api.ts'
import { toText } from '../../models/unknown-json.ts'
import { buildSocketUrl, type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { buildCancelRequest, toContextFailure } from './cartesia-wire.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** A socket supports dozens of contexts. Fewer share the effects of a broken connection. */
const MAX_CONTEXTS = 16

/** Receives what a socket delivers for one context. */
export interface ContextListener {
  receive(message: JsonFields): void
  /** Reports that the socket has failed. No callback follows. */
  handleSocketFailure(failure: SpeechFailure): void
}

/** A socket that carries several contexts. */
export class CartesiaConnection {
  readonly #socket: VendorSocket
  readonly #listeners = new Map<string, ContextListener>()
  readonly #onChange: (connection: CartesiaConnection) => void
  #isRetired = false
  #isClosed = false

  /** `onChange` is called when a context has ended or the socket is closed. */
  constructor(target: SpeechSocketTarget, onChange: (connection: CartesiaConnection) => void) {
    this.#onChange = onChange
    const { openSocket, clock, baseUrl, apiKey } = target
    this.#socket = new VendorSocket({
      openSocket,
      clock,
      url: buildSocketUrl(baseUrl, '/tts/websocket', { cartesia_version: CARTESIA_VERSION }),
      headers: { authorization: `Bearer ${apiKey}` },
      onMessage: (message) => this.#route(message),
      onFailed: (failure) => this.#fail(failure),
    })
  }

  get isOpen(): boolean {
    return this.#socket.isOpen
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  get hasCapacity(): boolean {
    return !this.#isClosed && !this.#isRetired && this.#listeners.size < MAX_CONTEXTS
  }

  start(contextId: string, request: JsonFields, listener: ContextListener): void {
    this.#listeners.set(contextId, listener)
    this.#socket.sendJson(request)
  }

  /** Stops a context. Its remaining audio is dropped. */
  cancel(contextId: string): void {
    if (!this.#listeners.has(contextId)) return
    this.#socket.sendJson(buildCancelRequest(contextId))
    this.finish(contextId)
  }

  /** Releases a context that has ended. */
  finish(contextId: string): void {
    if (!this.#listeners.delete(contextId)) return
    if (this.#isRetired && this.isEmpty) this.close()
    else this.#onChange(this)
  }

  /** Excludes a socket that stopped responding from further contexts. It closes when its last context ends. */
  retire(): void {
    this.#isRetired = true
  }

  close(): void {
    this.#isClosed = true
    this.#socket.close()
    this.#onChange(this)
  }

  #route(message: JsonFields): void {
    const contextId = toText(message.context_id)
    if (contextId !== '') this.#listeners.get(contextId)?.receive(message)
    // An error without a context concerns the connection.
    else if (message.type === 'error') this.#socket.fail(toContextFailure(message))
  }

  #fail(failure: SpeechFailure): void {
    this.#isClosed = true
    const listeners = [...this.#listeners.values()]
    this.#listeners.clear()
    this.#onChange(this)
    for (const listener of listeners) listener.handleSocketFailure(failure)
  }
}
