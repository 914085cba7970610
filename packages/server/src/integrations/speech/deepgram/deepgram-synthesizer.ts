import type { SpeechFailure, SpeechRequest, Synthesizer } from '@parley/engine/voice/ports'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import { Linear16Decoder } from '../linear16.ts'
import { SpeechStream } from '../speech-stream.ts'
import { buildSocketUrl, type SpeechSocketTarget } from '../vendor-socket.ts'
import type { SpeakConnection, SpeakProtocol } from './speak-connection.ts'
import { SpeakPool, type SpeakRoute } from './speak-pool.ts'

const AURA: SpeakProtocol = { path: '/v1/speak', endType: 'Flushed', canClear: true }
/** Flux drops a text only with the exact playback position, so the connection is closed instead. */
const FLUX: SpeakProtocol = { path: '/v2/speak', endType: 'SpeechMetadata', canClear: false }

const FIRST_AUDIO_MS = 8_000
const IDLE_MS = 4_000
const TOTAL_MS = 90_000
/** Maximum length of a text in one message. */
const MAX_CHARACTERS = 2_000
/** Maximum audio of one message, which speaks its longest text at eight characters per second. */
const MAX_SECONDS_PER_PART = 240

const TOO_MUCH_AUDIO = createProtocolFailure('The provider sent more audio than expected.')
const NO_AUDIO = createProtocolFailure('The provider returned no audio.')

const noop = (): void => {}

/**
 * Creates a synthesizer that uses Deepgram's streaming APIs: Aura voices such as `aura-2-thalia-en`, and Flux voices such as
 * `flux-haley-en`. Provides no word times. Connections are kept for later requests.
 */
export function createDeepgramSynthesizer(target: SpeechSocketTarget & { readonly model?: string }): Synthesizer {
  const pool = new SpeakPool(target)
  return {
    name: `deepgram/${target.model ?? 'aura-2'}`,
    synthesize: (request) => new DeepgramSpeech(target, pool, request).stream,
    connect: (voice) => pool.reserve(buildRoute(target.baseUrl, { ...voice, speed: 1, temperature: 1 })),
  }
}

class DeepgramSpeech {
  readonly stream: SpeechStream
  readonly #target: SpeechSocketTarget
  readonly #pool: SpeakPool
  readonly #route: SpeakRoute
  #connection: SpeakConnection | null = null
  #remainingTexts: readonly string[]
  readonly #decoder = new Linear16Decoder()
  readonly #maxSamples: number
  #sampleCount = 0
  #cancelIdleTimeout: () => void = noop
  #cancelTotalTimeout: () => void = noop

  constructor(target: SpeechSocketTarget, pool: SpeakPool, request: SpeechRequest) {
    this.#target = target
    this.#pool = pool
    this.#route = buildRoute(target.baseUrl, request)
    this.#remainingTexts = splitText(request.text)
    this.#maxSamples = this.#remainingTexts.length * MAX_SECONDS_PER_PART * request.rateHz
    this.stream = new SpeechStream(request.signal, {
      onStart: () => this.#start(),
      onCancel: () => {
        this.#cancelTimeouts()
        this.#connection?.cancel()
      },
    })
  }

  #start(): void {
    this.#cancelTotalTimeout = this.#target.clock.after(TOTAL_MS, () => this.#expire())
    this.#waitForAudio(FIRST_AUDIO_MS)
    const connection = this.#pool.take(this.#route)
    if (connection === null) this.#speakOver(this.#pool.open(this.#route), false)
    // The vendor may have closed an unused connection just as it was taken.
    else this.#speakOver(connection, true)
  }

  #speakOver(connection: SpeakConnection, canRetry: boolean): void {
    this.#connection = connection
    const [text = '', ...remainingTexts] = this.#remainingTexts
    connection.speak(text, {
      onAudio: (bytes) => this.#emitAudio(bytes),
      onEnd: () => {
        this.#remainingTexts = remainingTexts
        if (remainingTexts.length > 0) this.#speakOver(connection, false)
        else this.#finish(this.#sampleCount > 0 ? null : NO_AUDIO)
      },
      onFailed: (failure) => {
        if (canRetry && failure.retryable && this.#sampleCount === 0) {
          this.#speakOver(this.#pool.open(this.#route), false)
        } else this.#finish(failure)
      },
    })
  }

  #emitAudio(bytes: Buffer): void {
    const samples = this.#decoder.push(bytes)
    if (samples.length === 0) return
    this.#sampleCount += samples.length
    if (this.#sampleCount > this.#maxSamples) {
      this.#connection?.close()
      this.#finish(TOO_MUCH_AUDIO)
      return
    }
    this.#waitForAudio(IDLE_MS)
    this.stream.push({ type: 'audio', samples })
  }

  #waitForAudio(timeoutMs: number): void {
    this.#cancelIdleTimeout()
    this.#cancelIdleTimeout = this.#target.clock.after(timeoutMs, () => this.#expire())
  }

  #expire(): void {
    this.#connection?.close()
    this.#finish({ kind: 'timeout', message: 'The provider did not send audio in time.', retryable: true })
  }

  #finish(failure: SpeechFailure | null): void {
    this.#cancelTimeouts()
    this.stream.push(failure === null ? { type: 'end' } : { type: 'failed', failure })
  }

  #cancelTimeouts(): void {
    this.#cancelIdleTimeout()
    this.#cancelTotalTimeout()
  }
}

function buildRoute(
  baseUrl: string,
  { voice, rateHz, speed, temperature }: Pick<SpeechRequest, 'voice' | 'rateHz' | 'speed' | 'temperature'>,
): SpeakRoute {
  const protocol = voice.startsWith('flux-') ? FLUX : AURA
  const url = buildSocketUrl(baseUrl, protocol.path, {
    model: voice,
    encoding: 'linear16',
    sample_rate: rateHz,
    mip_opt_out: true,
    speed: toVendorSpeed(voice, speed),
    expressivity: toExpressivity(voice, temperature),
  })
  return { url, protocol }
}

/** Returns the speed in the vendor's range, or undefined for the default and for voices with a fixed speed. */
function toVendorSpeed(voice: string, speed: number): number | undefined {
  const isFlux = voice.startsWith('flux-')
  if (!isFlux && !/^aura-2-.*-e[ns]$/.test(voice)) return undefined
  // Both ranges have steps of 0.05, which also limits the number of different connections.
  const roundedSpeed = Math.round(speed * 20) / 20
  const vendorSpeed = Math.min(1.5, Math.max(isFlux ? 0.5 : 0.7, roundedSpeed))
  return vendorSpeed === 1 ? undefined : vendorSpeed
}

/** Maps a temperature from 0 to 2 to the steps from −2 to 2 of Flux voices. Returns undefined for the default and other voices. */
function toExpressivity(voice: string, temperature: number): number | undefined {
  const expressivity = Math.min(2, Math.max(-2, Math.round((temperature - 1) * 2)))
  return voice.startsWith('flux-') && expressivity !== 0 ? expressivity : undefined
}

/** Splits a text that is too long for one message, preferably after a sentence or a word. */
function splitText(text: string): readonly string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > MAX_CHARACTERS) {
    const candidate = rest.slice(0, MAX_CHARACTERS)
    const sentenceEnd = Math.max(candidate.lastIndexOf('. '), candidate.lastIndexOf('! '), candidate.lastIndexOf('? '))
    const wordEnd = candidate.lastIndexOf(' ')
    const end = sentenceEnd > 0 ? sentenceEnd + 1 : wordEnd > 0 ? wordEnd : findCharacterEnd(rest)
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest]
}

/** Returns where a part without spaces ends, which is not within a surrogate pair. */
function findCharacterEnd(text: string): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS
}
