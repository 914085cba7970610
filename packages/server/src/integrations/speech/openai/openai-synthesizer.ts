import { createResampler } from '@parley/engine/audio/resampler'
import type { SpeechRequest, Synthesizer } from '@parley/engine/voice/ports'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import type { VendorExchange } from '../../vendor-exchange.ts'
import { postSpeech, type SpeechTarget } from '../speech-exchange.ts'
import { SpeechStream } from '../speech-stream.ts'

export interface OpenAiSynthesizerOptions extends SpeechTarget {
  /** Vendor name, the first part of the synthesizer's name. */
  readonly provider: string
  /** Default model. */
  readonly model: string
}

const FIRST_BYTE_MS = 8_000
const IDLE_MS = 4_000
const TOTAL_MS = 90_000
/** Two minutes of audio, longer than any clause. */
const MAX_BYTES = 24_000 * 2 * 120
/** Number of queued events at which reading pauses. */
const MAX_PENDING_EVENTS = 64
/** Maximum length of a text in the API. */
const MAX_CHARACTERS = 4_096
const MIN_SPEED = 0.25
const MAX_SPEED = 4

/** Creates a synthesizer that uses the `POST /audio/speech` API of OpenAI and compatible servers. Provides no word times. */
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
  #exchange: VendorExchange | null = null
  #reader: PcmReader | null = null
  #sampleCount = 0

  constructor(options: OpenAiSynthesizerOptions, request: SpeechRequest) {
    this.#options = options
    this.#request = request
    this.stream = new SpeechStream(request.signal, {
      onStart: () => this.#send(true),
      onCancel: () => this.#exchange?.cancel(),
      onDrain: () => this.#exchange?.resume(),
    })
  }

  #send(canRetry: boolean): void {
    this.#exchange = postSpeech(
      this.#options,
      {
        path: '/audio/speech',
        contentType: 'application/json',
        body: JSON.stringify(buildRequestBody(this.#options.model, this.#request)),
        firstByteMs: FIRST_BYTE_MS,
        idleMs: IDLE_MS,
        totalMs: TOTAL_MS,
        maxBytes: MAX_BYTES,
      },
      {
        onStart: (contentType) => {
          if (/json|text|html|mpeg|mp3|ogg|opus|flac|aac/.test(contentType)) {
            return createProtocolFailure('The provider did not return PCM audio. Check its address and model.')
          }
          this.#reader = createPcmReader(this.#request.rateHz, contentType)
          return null
        },
        onChunk: (bytes) => this.#read(bytes),
        onEnd: (failure, status) => {
          if (failure === null) this.#finish()
          // The server may have closed an idle connection just as it was reused.
          else if (canRetry && status === 0 && failure.kind === 'unavailable') this.#send(false)
          else this.stream.push({ type: 'failed', failure })
        },
      },
    )
  }

  #read(bytes: Buffer): void {
    const samples = this.#reader?.push(bytes) ?? null
    if (samples === null) {
      this.#exchange?.fail(createProtocolFailure('The provider sent audio in an unsupported format.'))
      return
    }
    this.#emitSamples(samples)
    if (this.stream.length > MAX_PENDING_EVENTS) this.#exchange?.pause()
  }

  #finish(): void {
    this.#emitSamples(this.#reader?.flush() ?? new Int16Array(0))
    if (this.#sampleCount > 0) this.stream.push({ type: 'end' })
    else this.stream.push({ type: 'failed', failure: createProtocolFailure('The provider returned no audio.') })
  }

  #emitSamples(samples: Int16Array): void {
    if (samples.length === 0) return
    this.#sampleCount += samples.length
    this.stream.push({ type: 'audio', samples })
  }
}

function buildRequestBody(defaultModel: string, { text, voice, model, speed, emotion }: SpeechRequest): object {
  const effectiveModel = model ?? defaultModel
  return {
    model: effectiveModel,
    voice,
    input: text.slice(0, MAX_CHARACTERS),
    response_format: 'pcm',
    ...(speed === 1 ? {} : { speed: Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed)) }),
    // Only models of this family support instructions.
    ...(emotion !== null && effectiveModel.startsWith('gpt-')
      ? { instructions: `Speak in this emotion: ${emotion}.` }
      : {}),
  }
}

/** Format `pcm` of the API: 24 kHz, 16-bit, little-endian, one channel, no header. */
const PCM_RATE_HZ = 24_000
const PCM_FORMAT = 1
/** Maximum size of a WAV header. */
const MAX_HEADER_BYTES = 4_096
/** Supported rates. Other rates indicate a server error, and each would need another filter. */
const STANDARD_RATES_HZ: ReadonlySet<number> = new Set([
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
])

/** Converts the chunks of a response to samples at another rate. A chunk can end within a sample. */
interface PcmReader {
  /** Returns the complete samples, or null if the format is unsupported. */
  push(bytes: Buffer): Int16Array | null
  /** Returns the remaining samples. */
  flush(): Int16Array
}

/** Creates a reader for raw PCM and WAV files at standard sample rates. */
export function createPcmReader(rateHz: number, contentType = ''): PcmReader {
  const declaredRateHz = Number(/rate=(\d+)/.exec(contentType)?.[1] ?? PCM_RATE_HZ)
  let pendingBytes: Buffer = Buffer.alloc(0)
  let resampler: ReturnType<typeof createResampler> | null = null
  let isUnsupported = false

  const startResampler = (fromHz: number): void => {
    if (STANDARD_RATES_HZ.has(fromHz)) resampler = createResampler(fromHz, rateHz)
    else isUnsupported = true
  }

  /** Detects the format from the first bytes. Returns false until enough bytes have arrived. */
  const detectFormat = (): boolean => {
    if (resampler !== null || isUnsupported) return true
    if (pendingBytes.length < 4) return false
    if (pendingBytes.toString('latin1', 0, 4) !== 'RIFF') {
      startResampler(declaredRateHz)
      return true
    }
    const header = parseWavHeader(pendingBytes)
    if (header === null) {
      isUnsupported = pendingBytes.length > MAX_HEADER_BYTES
      return isUnsupported
    }
    if (header.isPcm) startResampler(header.rateHz)
    else isUnsupported = true
    pendingBytes = pendingBytes.subarray(header.dataStart)
    return true
  }

  return {
    push(bytes) {
      pendingBytes = pendingBytes.length === 0 ? bytes : Buffer.concat([pendingBytes, bytes])
      if (!detectFormat()) return new Int16Array(0)
      if (isUnsupported || resampler === null) return null
      const count = pendingBytes.length >> 1
      const samples = new Int16Array(count)
      for (let index = 0; index < count; index += 1) samples[index] = pendingBytes.readInt16LE(index * 2)
      pendingBytes = pendingBytes.subarray(count * 2)
      return resampler.push(samples)
    },
    flush: () => resampler?.flush() ?? new Int16Array(0),
  }
}

interface WavHeader {
  readonly rateHz: number
  readonly isPcm: boolean
  readonly dataStart: number
}

/** Parses the header. Returns null while the header is incomplete. */
function parseWavHeader(bytes: Buffer): WavHeader | null {
  let offset = 12
  let format: Omit<WavHeader, 'dataStart'> | null = null
  while (offset + 8 <= bytes.length) {
    const name = bytes.toString('latin1', offset, offset + 4)
    const size = bytes.readUInt32LE(offset + 4)
    const contentStart = offset + 8
    if (name === 'data') return { ...(format ?? { rateHz: 0, isPcm: false }), dataStart: contentStart }
    if (name === 'fmt ' && contentStart + 16 <= bytes.length) {
      const isPcm =
        bytes.readUInt16LE(contentStart) === PCM_FORMAT &&
        bytes.readUInt16LE(contentStart + 2) === 1 &&
        bytes.readUInt16LE(contentStart + 14) === 16
      format = { rateHz: bytes.readUInt32LE(contentStart + 4), isPcm }
    }
    offset = contentStart + size + (size & 1)
  }
  return null
}
