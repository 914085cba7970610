import type { SpeechFailure, SpeechRequest, Synthesizer } from '@parley/engine/voice/ports'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import { Linear16Decoder } from '../linear16.ts'
import { SpeechStream } from '../speech-stream.ts'
import type { SpeechSocketTarget } from '../vendor-socket.ts'
import { readAlignment, WordTimer } from './character-alignment.ts'
import { ContextPool } from './context-pool.ts'
import { toVoiceChannel, toVoiceSettings } from './speech-messages.ts'

export interface ElevenLabsSynthesizerOptions extends SpeechSocketTarget {
  /** Model for requests without a model. */
  readonly model: string
}

/** The model with the lowest latency. */
export const DEFAULT_ELEVENLABS_MODEL = 'eleven_flash_v2_5'

/** Includes connecting. */
const FIRST_AUDIO_MS = 8_000
const IDLE_MS = 4_000
const TOTAL_MS = 90_000
/** A text without audio is sent once more. */
const MAX_ATTEMPTS = 2
/** Longer than any clause. */
const MAX_SECONDS = 120

/**
 * Creates a synthesizer for ElevenLabs' `multi-stream-input` sockets, with word times. Each request is one context. Channels
 * for which the vendor refuses contexts use `stream-input`. Emotions are not supported.
 */
export function createElevenLabsSynthesizer(options: ElevenLabsSynthesizerOptions): Synthesizer {
  const pool = new ContextPool(options)
  return {
    name: `elevenlabs/${options.model}`,
    synthesize: (request) => new ElevenLabsSpeech(options, pool, request).stream,
    connect: (voice) => pool.hold(toVoiceChannel(voice, options.model)),
  }
}

class ElevenLabsSpeech {
  readonly stream: SpeechStream
  readonly #options: ElevenLabsSynthesizerOptions
  readonly #pool: ContextPool
  readonly #request: SpeechRequest
  readonly #words: WordTimer
  readonly #decoder = new Linear16Decoder()
  #sampleCount = 0
  #attempt = 0
  #abandon: () => void = () => {}
  #cancelIdleTimeout: () => void = () => {}
  #cancelTotalTimeout: () => void = () => {}

  constructor(options: ElevenLabsSynthesizerOptions, pool: ContextPool, request: SpeechRequest) {
    this.#options = options
    this.#pool = pool
    this.#request = request
    this.#words = new WordTimer(request.text)
    this.stream = new SpeechStream(request.signal, { onStart: () => this.#start(), onCancel: () => this.#release() })
  }

  #start(): void {
    if (this.#request.text.trim() === '') {
      this.stream.push({ type: 'end' })
      return
    }
    this.#cancelTotalTimeout = this.#options.clock.after(TOTAL_MS, () =>
      this.#fail(createTimeoutFailure('The provider took too long.')),
    )
    this.#watchForStall(FIRST_AUDIO_MS)
    this.#speak()
  }

  #speak(): void {
    this.#attempt += 1
    const attempt = this.#attempt
    const { model } = this.#options
    const settings = toVoiceSettings(this.#request)
    const socket = this.#pool.acquire(toVoiceChannel(this.#request, model), settings)
    if ('kind' in socket) {
      this.#fail(socket)
      return
    }
    const abandon = socket.speak(
      { text: this.#request.text, settings },
      {
        onMessage: (message) => this.#receive(message),
        onFinal: () => this.#finish(),
        onFailed: (failure, canRetry) => {
          // The vendor may have closed an idle socket just as it was reused.
          if (canRetry && attempt < MAX_ATTEMPTS && this.#sampleCount === 0) this.#speak()
          else this.#fail(failure)
        },
      },
    )
    // The socket may have failed while the text was sent, and the next attempt has started.
    if (attempt === this.#attempt) this.#abandon = abandon
  }

  #receive(message: Readonly<Record<string, unknown>>): void {
    const { audio } = message
    if (audio !== undefined && audio !== null && typeof audio !== 'string') {
      this.#fail(createProtocolFailure('The provider sent audio in an unsupported format.'))
      return
    }
    const samples = this.#decoder.push(Buffer.from(audio ?? '', 'base64'))
    const words = this.#words.push(readAlignment(message), this.#getDurationMs())
    if (words.length > 0) this.stream.push({ type: 'words', words })
    if (samples.length === 0) return
    this.#sampleCount += samples.length
    this.stream.push({ type: 'audio', samples })
    if (this.#sampleCount > MAX_SECONDS * this.#request.rateHz) {
      this.#fail(createProtocolFailure(`The provider sent more than ${MAX_SECONDS} seconds of audio.`))
    } else this.#watchForStall(IDLE_MS)
  }

  #finish(): void {
    if (this.#sampleCount === 0) {
      this.#fail(createProtocolFailure('The provider returned no audio.'))
      return
    }
    const words = this.#words.finish(this.#getDurationMs())
    if (words.length > 0) this.stream.push({ type: 'words', words })
    this.#release()
    this.stream.push({ type: 'end' })
  }

  #fail(failure: SpeechFailure): void {
    const words = this.#words.interrupt()
    if (words.length > 0) this.stream.push({ type: 'words', words })
    this.#release()
    this.stream.push({ type: 'failed', failure })
  }

  /** Time of the next sample. */
  #getDurationMs(): number {
    return (this.#sampleCount * 1_000) / this.#request.rateHz
  }

  #watchForStall(timeoutMs: number): void {
    this.#cancelIdleTimeout()
    this.#cancelIdleTimeout = this.#options.clock.after(timeoutMs, () =>
      this.#fail(createTimeoutFailure('The provider stopped sending audio.')),
    )
  }

  #release(): void {
    this.#cancelIdleTimeout()
    this.#cancelTotalTimeout()
    this.#abandon()
  }
}

function createTimeoutFailure(message: string): SpeechFailure {
  return { kind: 'timeout', message, retryable: true }
}
