import type { SpeechFailure, SpeechRequest, Synthesizer } from '@parley/engine/voice/ports'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import { Linear16Decoder } from '../linear16.ts'
import { SpeechStream } from '../speech-stream.ts'
import type { SpeechSocketTarget } from '../vendor-socket.ts'
import type { CartesiaConnection } from './cartesia-connection.ts'
import { CartesiaPool } from './cartesia-pool.ts'
import { buildContextRequest, decodeAudio, readWords, toContextFailure } from './cartesia-wire.ts'

/** Default model. */
export const CARTESIA_MODEL = 'sonic-3'

const FIRST_AUDIO_MS = 8_000
const IDLE_MS = 4_000
const TOTAL_MS = 90_000
/** Longer than any clause. */
const MAX_AUDIO_SECONDS = 120

/**
 * Creates a synthesizer that uses the WebSocket API of Cartesia. All requests share a few sockets. Provides the times of words,
 * or of characters in languages without spaces.
 */
export function createCartesiaSynthesizer(target: SpeechSocketTarget & { readonly model: string }): Synthesizer {
  const pool = new CartesiaPool(target)
  return {
    name: `cartesia/${target.model}`,
    synthesize: (request) => new CartesiaSpeech({ ...target, pool }, request).stream,
    connect: () => pool.reserve(),
  }
}

interface CartesiaSpeechOptions extends Pick<SpeechSocketTarget, 'clock'> {
  readonly pool: CartesiaPool
  readonly model: string
}

class CartesiaSpeech {
  readonly stream: SpeechStream
  readonly #options: CartesiaSpeechOptions
  readonly #request: SpeechRequest
  readonly #decoder = new Linear16Decoder()
  #connection: CartesiaConnection | null = null
  #contextId = ''
  #sampleCount = 0
  #hasReceived = false
  #cancelIdleTimeout: () => void = () => {}
  #cancelTotalTimeout: () => void = () => {}

  constructor(options: CartesiaSpeechOptions, request: SpeechRequest) {
    this.#options = options
    this.#request = request
    this.stream = new SpeechStream(request.signal, {
      onStart: () => this.#start(),
      onCancel: () => {
        this.#stopTimeouts()
        this.#connection?.cancel(this.#contextId)
      },
    })
  }

  #start(): void {
    this.#cancelTotalTimeout = this.#options.clock.after(TOTAL_MS, () => this.#handleTimeout())
    this.#watchForStall(FIRST_AUDIO_MS)
    this.#send()
  }

  #send(canRetry = true): void {
    const { pool, model } = this.#options
    const connection = pool.getConnection()
    this.#connection = connection
    this.#contextId = pool.createContextId()
    // Cartesia may have closed an idle socket just as it was reused.
    const isReused = canRetry && connection.isOpen
    connection.start(this.#contextId, buildContextRequest(this.#contextId, model, this.#request), {
      receive: (message) => this.#receive(message),
      handleSocketFailure: (failure) => {
        if (isReused && !this.#hasReceived && failure.kind === 'unavailable') this.#send(false)
        else this.#end(failure)
      },
    })
  }

  #receive(message: Readonly<Record<string, unknown>>): void {
    this.#hasReceived = true
    switch (message.type) {
      case 'chunk':
        this.#handleAudio(message.data)
        return
      case 'timestamps': {
        const words = readWords(message)
        if (words.length > 0) this.stream.push({ type: 'words', words })
        return
      }
      case 'done':
        this.#finish(this.#sampleCount > 0 ? null : createProtocolFailure('The provider returned no audio.'))
        return
      case 'error':
        this.#finish(toContextFailure(message))
    }
  }

  #handleAudio(data: unknown): void {
    const bytes = decodeAudio(data)
    if (bytes === null) {
      this.#cancel(createProtocolFailure('The provider sent audio in an unsupported format.'))
      return
    }
    const samples = this.#decoder.push(bytes)
    if (samples.length === 0) return
    this.#sampleCount += samples.length
    if (this.#sampleCount > MAX_AUDIO_SECONDS * this.#request.rateHz) {
      this.#cancel(createProtocolFailure(`The provider sent more than ${MAX_AUDIO_SECONDS} seconds of audio.`))
      return
    }
    this.#watchForStall(IDLE_MS)
    this.stream.push({ type: 'audio', samples })
  }

  #watchForStall(limitMs: number): void {
    this.#cancelIdleTimeout()
    this.#cancelIdleTimeout = this.#options.clock.after(limitMs, () => this.#handleTimeout())
  }

  #handleTimeout(): void {
    // The connection may be dead, so further requests use another one.
    this.#connection?.retire()
    this.#cancel({ kind: 'timeout', message: 'The provider sent no audio in time.', retryable: true })
  }

  #cancel(failure: SpeechFailure): void {
    this.#connection?.cancel(this.#contextId)
    this.#end(failure)
  }

  #finish(failure: SpeechFailure | null): void {
    this.#connection?.finish(this.#contextId)
    this.#end(failure)
  }

  #end(failure: SpeechFailure | null): void {
    this.#stopTimeouts()
    this.stream.push(failure === null ? { type: 'end' } : { type: 'failed', failure })
  }

  #stopTimeouts(): void {
    this.#cancelIdleTimeout()
    this.#cancelTotalTimeout()
  }
}
