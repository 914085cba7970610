import type { SpeechRequest, Synthesizer } from '@parley/engine/voice/ports'
import { joinUrl } from '../../models/wire-client.ts'
import { authorization, protocolFailure, SpeechExchange, type SpeechTarget } from '../speech-exchange.ts'
import { SpeechStream } from '../speech-stream.ts'
import { createPcmReader, type PcmReader } from './pcm-reader.ts'

export interface OpenAiSynthesizerOptions extends SpeechTarget {
  /** How the provider is called in names. */
  readonly provider: string
  /** Speaks where the request names none. */
  readonly model: string
}

const FIRST_BYTE_MS = 8_000
const IDLE_MS = 4_000
const TOTAL_MS = 90_000
/** Two minutes of sound: no clause is that long. */
const MAX_BYTES = 24_000 * 2 * 120
/** Events that wait before the provider is held up. */
const MAX_PENDING_EVENTS = 64
/** The limit of the wire. */
const MAX_CHARACTERS = 4_096
const MIN_SPEED = 0.25
const MAX_SPEED = 4

/** A voice behind the wire of `POST /audio/speech`: OpenAI and the servers that are compatible with it. It tells no words. */
export function createOpenAiSynthesizer(options: OpenAiSynthesizerOptions): Synthesizer {
  return {
    name: `${options.provider}/${options.model}`,
    synthesize: (request) => new OpenAiSpeech(options, request).stream,
  }
}

class OpenAiSpeech {
  readonly stream: SpeechStream
  readonly #options: OpenAiSynthesizerOptions
  readonly #request: SpeechRequest
  #exchange: SpeechExchange | null = null
  #reader: PcmReader | null = null
  #samples = 0

  constructor(options: OpenAiSynthesizerOptions, request: SpeechRequest) {
    this.#options = options
    this.#request = request
    this.stream = new SpeechStream(request.signal, {
      start: () => this.#send(true),
      canceled: () => this.#exchange?.cancel(),
      drained: () => this.#exchange?.resume(),
    })
  }

  #send(canRetry: boolean): void {
    const { baseUrl, apiKey } = this.#options
    this.#exchange = new SpeechExchange(
      this.#options,
      {
        url: joinUrl(baseUrl, '/audio/speech'),
        headers: { 'content-type': 'application/json', ...authorization(apiKey) },
        body: JSON.stringify(bodyOf(this.#options.model, this.#request)),
        firstByteMs: FIRST_BYTE_MS,
        idleMs: IDLE_MS,
        totalMs: TOTAL_MS,
        maxBytes: MAX_BYTES,
      },
      {
        started: (contentType) => {
          if (/json|text|html|mpeg|mp3|ogg|opus|flac|aac/.test(contentType)) {
            return protocolFailure('The provider did not answer with PCM sound; check its address and model.')
          }
          this.#reader = createPcmReader(this.#request.rateHz, contentType)
          return null
        },
        chunk: (bytes) => this.#read(bytes),
        ended: (failure, status) => {
          if (failure === null) this.#finish()
          // The server may have closed a connection that had been idle, just as it was used again.
          else if (canRetry && status === 0 && failure.kind === 'unavailable') this.#send(false)
          else this.stream.push({ type: 'failed', failure })
        },
      },
    )
  }

  #read(bytes: Buffer): void {
    const samples = this.#reader?.push(bytes) ?? null
    if (samples === null) {
      this.#exchange?.fail(protocolFailure('The provider sent sound in a format that is not understood.'))
      return
    }
    this.#push(samples)
    if (this.stream.length > MAX_PENDING_EVENTS) this.#exchange?.pause()
  }

  #finish(): void {
    this.#push(this.#reader?.flush() ?? new Int16Array(0))
    if (this.#samples > 0) this.stream.push({ type: 'end' })
    else this.stream.push({ type: 'failed', failure: protocolFailure('The provider answered without any sound.') })
  }

  #push(samples: Int16Array): void {
    if (samples.length === 0) return
    this.#samples += samples.length
    this.stream.push({ type: 'audio', samples })
  }
}

function bodyOf(ownModel: string, { text, voice, model, speed, emotion }: SpeechRequest): object {
  const speaker = model ?? ownModel
  return {
    model: speaker,
    voice,
    input: text.slice(0, MAX_CHARACTERS),
    response_format: 'pcm',
    ...(speed === 1 ? {} : { speed: Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed)) }),
    // Models of this family take directions; others refuse or read past them.
    ...(emotion !== null && speaker.startsWith('gpt-') ? { instructions: `Speak in this emotion: ${emotion}.` } : {}),
  }
}
