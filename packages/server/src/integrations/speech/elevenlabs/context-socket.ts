import type { SpeechFailure } from '@parley/engine/voice/ports'
import { toText } from '../../models/unknown-json.ts'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { buildAuthHeaders, findField, toErrorFailure } from './elevenlabs-api.ts'
import {
  buildContextMessages,
  buildSpeechUrl,
  type ContextText,
  type SocketMode,
  type VoiceChannel,
  type VoiceSettings,
} from './speech-messages.ts'

/** Receives the messages of one context. */
export interface ContextListener {
  onMessage(message: Readonly<Record<string, unknown>>): void
  /** The context's last message has arrived. */
  onFinal(): void
  /** Called instead of `onFinal`. `canRetry`: another socket can succeed. */
  onFailed(failure: SpeechFailure, canRetry: boolean): void
}

export interface ContextSocketOptions {
  readonly target: SpeechSocketTarget
  readonly channel: VoiceChannel
  readonly mode: SocketMode
  /** Called once, before the contexts fail. `isRefused`: the vendor does not support contexts for this channel. */
  readonly onEnded: (isRefused: boolean) => void
}

/** The vendor closes a socket with a sixth context and drops all of its contexts, so one slot stays unused. */
const MAX_CONTEXTS = 4
/** A vendor that does not finish an abandoned context by then can have lost it. Its slot is not used again. */
const ABANDONED_CONTEXT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 30_000
/** Close code of a rejected request. */
const POLICY_VIOLATION = 1008

interface Context {
  /** Null after the context was abandoned. */
  listener: ContextListener | null
  cancelTimeout: () => void
}

/** One socket on which the vendor speaks several texts at a time. */
export class ContextSocket {
  readonly #options: ContextSocketOptions
  readonly #socket: VendorSocket
  readonly #contexts = new Map<string, Context>()
  #contextCount = 0
  #settingsKey: string | null = null
  #hasReceived = false
  #isRefused = false
  #isRetired = false
  #isEnded = false
  readonly #isHeld: () => boolean
  #cancelIdleTimeout: () => void = () => {}

  /** `isHeld` tells whether an idle socket stays open for later texts. */
  constructor(options: ContextSocketOptions, isHeld: () => boolean) {
    this.#options = options
    this.#isHeld = isHeld
    const { target, channel, mode } = options
    const { openSocket, clock, apiKey } = target
    this.#socket = new VendorSocket({
      openSocket,
      clock,
      url: buildSpeechUrl(target.baseUrl, channel, mode),
      headers: buildAuthHeaders(apiKey),
      onMessage: (message) => this.#receive(message),
      onFailed: (failure, closeCode) => this.#handleFailure(failure, closeCode),
    })
    this.#startIdleTimeout()
  }

  /** Whether a text with these voice settings can be spoken without exceeding the vendor's limit. */
  canSpeak(settings: VoiceSettings | null): boolean {
    if (this.#isEnded || this.#isRetired) return false
    if (this.#options.mode === 'single') return this.#contextCount === 0
    // Contexts without settings inherit the settings of the socket's first context.
    const hasSameSettings = this.#settingsKey === null || this.#settingsKey === JSON.stringify(settings)
    return hasSameSettings && this.#contexts.size < MAX_CONTEXTS
  }

  /** Starts to speak a text. Returns a function that abandons it. */
  speak({ text, settings }: ContextText, listener: ContextListener): () => void {
    this.#cancelIdleTimeout()
    this.#contextCount += 1
    this.#settingsKey = JSON.stringify(settings)
    const id = `context-${this.#contextCount}`
    const context: Context = { listener, cancelTimeout: () => {} }
    this.#contexts.set(id, context)
    for (const message of buildContextMessages(this.#options.mode, id, { text, settings }))
      this.#socket.sendJson(message)
    return () => this.#abandon(id, context)
  }

  close(): void {
    if (this.#isEnded) return
    this.#end()
    this.#socket.close(this.#options.mode === 'multi' ? { close_socket: true } : undefined)
  }

  #abandon(id: string, context: Context): void {
    if (context.listener === null || this.#contexts.get(id) !== context) return
    context.listener = null
    if (this.#options.mode === 'single') {
      this.close()
      return
    }
    // The context was closed after its text, so nothing is sent. It counts as open until the vendor has finished it.
    context.cancelTimeout = this.#options.target.clock.after(ABANDONED_CONTEXT_TIMEOUT_MS, () => {
      this.#isRetired = true
      this.#removeContext(id)
    })
  }

  #receive(message: Readonly<Record<string, unknown>>): void {
    this.#hasReceived = true
    const contextId = toText(findField(message, ['contextId', 'context_id']))
    const id = this.#options.mode === 'single' ? 'context-1' : contextId
    const error = findField(message, ['error'])
    if (error !== undefined) {
      const failure = toErrorFailure([error, message.code])
      if (contextId === '') this.#failSocket(failure, `${error} ${message.code}`)
      else this.#finishContext(id, (listener) => listener.onFailed(failure, false))
      return
    }
    const context = this.#contexts.get(id)
    if (context === undefined) return
    context.listener?.onMessage(message)
    if (findField(message, ['isFinal', 'is_final']) === true) this.#finishContext(id, (listener) => listener.onFinal())
  }

  /** An error without a context concerns the whole socket. */
  #failSocket(failure: SpeechFailure, error: string): void {
    this.#isRefused = this.#options.mode === 'multi' && /model|unsupported|not_supported/.test(error)
    this.#socket.fail(failure)
  }

  #finishContext(id: string, notify: (listener: ContextListener) => void): void {
    const listener = this.#contexts.get(id)?.listener
    this.#removeContext(id)
    if (listener !== null && listener !== undefined) notify(listener)
  }

  #removeContext(id: string): void {
    this.#contexts.get(id)?.cancelTimeout()
    if (!this.#contexts.delete(id) || this.#contexts.size > 0 || this.#isEnded) return
    if (this.#isRetired || this.#options.mode === 'single') this.close()
    else this.#startIdleTimeout()
  }

  #startIdleTimeout(): void {
    this.#cancelIdleTimeout = this.#options.target.clock.after(IDLE_TIMEOUT_MS, () => {
      if (this.#isHeld()) this.#startIdleTimeout()
      else this.close()
    })
  }

  #handleFailure(failure: SpeechFailure, closeCode: number | null): void {
    if (this.#options.mode === 'multi' && !this.#hasReceived) {
      this.#isRefused = closeCode === null ? failure.kind === 'rejected' : closeCode === POLICY_VIOLATION
    }
    const canRetry = this.#isRefused || failure.kind === 'unavailable'
    const contexts = [...this.#contexts.values()]
    this.#end()
    for (const { listener } of contexts) listener?.onFailed(failure, canRetry)
  }

  #end(): void {
    this.#isEnded = true
    this.#cancelIdleTimeout()
    for (const { cancelTimeout } of this.#contexts.values()) cancelTimeout()
    this.#contexts.clear()
    this.#options.onEnded(this.#isRefused)
  }
}
