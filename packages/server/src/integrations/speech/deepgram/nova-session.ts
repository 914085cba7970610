import { FRAME_MS } from '@parley/engine/audio/frame'
import type { TranscriberEvent, TranscriberOptions, TranscriberSession } from '@parley/engine/voice/ports'
import { toText } from '../../models/unknown-json.ts'
import { buildSocketUrl } from '../vendor-socket.ts'
import { selectKeyTerms, toErrorFailure } from './deepgram-wire.ts'
import { ListenConnection, type ListenTarget } from './listen-connection.ts'
import { type NovaResult, type RecognizedWord, readNovaResult, toTimedWords } from './transcript-parts.ts'

/** Silence after which the vendor ends an utterance, by default. */
const DEFAULT_ENDPOINTING_MS = 300
/** A longer wait for the final text would look like a transcriber that has missed the utterance. */
const MAX_ENDPOINTING_MS = 1_500
/** Silence before the end of voice is detected. */
const VOICE_END_MS = 200
/** Minimum gap between words after which the vendor ends an utterance in noise. */
const MIN_UTTERANCE_END_MS = 1_000
/** Time without audio after which the connection is kept alive. The vendor closes it after 10 seconds. */
const KEEP_ALIVE_MS = 4_000
/** Longer utterances are split, which limits memory. */
const MAX_UTTERANCE_CHARACTERS = 8_000
/** Regional tags that the vendor knows. Other tags are reduced to their language. */
const REGIONAL_LANGUAGES =
  'da-DK de-CH en-AU en-GB en-IN en-NZ en-US es-419 fr-CA ko-KR nl-BE pt-BR pt-PT sv-SE th-TH zh-CN zh-HK zh-TW'
const LANGUAGES_BY_TAG = new Map(REGIONAL_LANGUAGES.split(' ').map((tag) => [tag.toLowerCase(), tag]))

/** Text of an utterance: parts that no longer change, and the text after them, which may change. */
interface Utterance {
  readonly id: string
  readonly finalTexts: string[]
  readonly words: RecognizedWord[]
  interimText: string
  /** The last emitted text, or null if nothing was emitted. */
  emittedText: string | null
  isEmittedStable: boolean
}

/** A stream to a Nova model. The texts of one utterance arrive in parts. */
export class NovaSession implements TranscriberSession {
  readonly #session: TranscriberOptions
  readonly #clock: ListenTarget['clock']
  readonly #connection: ListenConnection
  #utterance: Utterance | null = null
  #utteranceCount = 0
  /** Whether the caller's last voice has ended and still needs a final text. */
  #awaitsFinal = false
  #cancelFinalize: () => void = () => {}
  #isClosed = false

  constructor(target: ListenTarget, session: TranscriberOptions) {
    this.#session = session
    this.#clock = target.clock
    this.#connection = new ListenConnection({
      ...target,
      getUrl: () => buildNovaUrl(target, session),
      rateHz: session.rateHz,
      framesPerMessage: 1,
      onMessage: (message, offsetSeconds) => this.#handleMessage(message, offsetSeconds),
      onOpen: () => this.#finalize(),
      onIdleCheck: (_sinceAudioMs, sinceSendMs) => this.#keepAlive(sinceSendMs),
      onFailed: (failure) => this.#emit({ type: 'failed', failure }),
    })
  }

  push(frame: Int16Array): void {
    if (!this.#isClosed) this.#connection.push(frame)
  }

  voiceStarted(): void {
    this.#cancelFinalize()
    this.#awaitsFinal = false
    if (!this.#isClosed) this.#connection.voiceStarted()
  }

  voiceEnded(): void {
    if (this.#isClosed) return
    this.#awaitsFinal = true
    this.#connection.voiceEnded()
    const { endpointingMs = null } = this.#session
    const delayMs = endpointingMs === null ? 0 : limitEndpointing(endpointingMs) - VOICE_END_MS
    this.#cancelFinalize()
    if (delayMs > 0) this.#cancelFinalize = this.#clock.after(delayMs, () => this.#finalize())
    else this.#finalize()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelFinalize()
    this.#connection.close()
  }

  /** Requests the final text now instead of after the vendor's own endpointing delay. */
  #finalize(): void {
    if (this.#awaitsFinal) this.#connection.sendCommand({ type: 'Finalize' })
  }

  #keepAlive(sinceSendMs: number): void {
    if (sinceSendMs < KEEP_ALIVE_MS) return
    // The vendor requires audio before it accepts messages that keep the connection alive.
    if (this.#connection.hasSentAudio) this.#connection.sendCommand({ type: 'KeepAlive' })
    else this.#connection.pushSilence(FRAME_MS)
  }

  #handleMessage(message: Readonly<Record<string, unknown>>, offsetSeconds: number): void {
    if (message.type === 'Results') {
      const result = readNovaResult(message, offsetSeconds)
      if (result !== null) this.#handleResult(result)
    } else if (message.type === 'UtteranceEnd') {
      if (this.#utterance !== null && this.#utterance.finalTexts.length > 0) this.#endUtterance(this.#utterance)
    } else if (message.type === 'Error' || toText(message.err_code) !== '') {
      this.#connection.fail(toErrorFailure(message))
    }
  }

  #handleResult(result: NovaResult): void {
    if (this.#utterance === null && result.text !== '') this.#utterance = this.#startUtterance()
    if (result.isFinal) this.#connection.confirmUntil(result.endSeconds)
    const utterance = this.#utterance
    if (utterance !== null) updateUtterance(utterance, result)
    const isLong = utterance !== null && getText(utterance).length > MAX_UTTERANCE_CHARACTERS
    const endsUtterance = result.isFinal && (result.isSpeechFinal || result.isFromFinalize || isLong)
    if (utterance !== null && !endsUtterance) {
      this.#emitInterim(utterance)
      return
    }
    if (utterance !== null) this.#endUtterance(utterance)
    if (result.isFromFinalize) this.#emitNoSpeech()
  }

  #startUtterance(): Utterance {
    this.#utteranceCount += 1
    const id = `utterance-${this.#utteranceCount}`
    return { id, finalTexts: [], words: [], interimText: '', emittedText: null, isEmittedStable: false }
  }

  #emitInterim(utterance: Utterance): void {
    const text = getText(utterance)
    const stable = utterance.interimText === '' && text !== ''
    if (text === (utterance.emittedText ?? '') && stable === utterance.isEmittedStable) return
    utterance.emittedText = text
    utterance.isEmittedStable = stable
    this.#emit({ type: 'interim', utteranceId: utterance.id, text, stable })
  }

  #endUtterance(utterance: Utterance): void {
    const { id, finalTexts, words, interimText } = utterance
    this.#utterance = null
    const text = finalTexts.join(' ')
    // Words that are not final yet belong to the next utterance.
    if (interimText !== '') this.#utterance = { ...this.#startUtterance(), interimText }
    if (text === '' && utterance.emittedText === null) return
    this.#emit({ type: 'final', utteranceId: id, text, endOfTurn: null, words: toTimedWords(words) })
  }

  /** Reports that the vendor found no speech in the caller's last voice, unless a final text was emitted since. */
  #emitNoSpeech(): void {
    if (!this.#awaitsFinal) return
    const { id } = this.#startUtterance()
    this.#emit({ type: 'final', utteranceId: id, text: '', endOfTurn: null, words: [] })
  }

  /** Emits an event asynchronously, so that no method calls the listener synchronously. */
  #emit(event: TranscriberEvent): void {
    if (event.type === 'final') this.#awaitsFinal = false
    queueMicrotask(() => {
      if (this.#isClosed) return
      if (event.type === 'failed') this.close()
      this.#session.onEvent(event)
    })
  }
}

function getText({ finalTexts, interimText }: Utterance): string {
  return [...finalTexts, interimText].filter((text) => text !== '').join(' ')
}

function updateUtterance(utterance: Utterance, { isFinal, text, words }: NovaResult): void {
  utterance.interimText = isFinal ? '' : text
  if (!isFinal || text === '') return
  utterance.finalTexts.push(text)
  utterance.words.push(...words)
}

function buildNovaUrl({ baseUrl, model }: ListenTarget, session: TranscriberOptions): URL {
  const { rateHz, language, keywords } = session
  const terms = selectKeyTerms(keywords)
  const endpointingMs = limitEndpointing(session.endpointingMs ?? DEFAULT_ENDPOINTING_MS)
  return buildSocketUrl(baseUrl, '/v1/listen', {
    model,
    language: toNovaLanguage(language),
    encoding: 'linear16',
    sample_rate: rateHz,
    channels: 1,
    interim_results: true,
    endpointing: endpointingMs,
    utterance_end_ms: Math.max(MIN_UTTERANCE_END_MS, endpointingMs),
    smart_format: true,
    punctuate: true,
    mip_opt_out: true,
    // Older models accept single words only, and a colon would set their weight.
    ...(/^nova-[12]/.test(model) ? { keywords: splitIntoWords(terms) } : { keyterm: terms }),
  })
}

function limitEndpointing(endpointingMs: number): number {
  return Math.min(MAX_ENDPOINTING_MS, endpointingMs)
}

function splitIntoWords(terms: readonly string[]): readonly string[] {
  return [...new Set(terms.flatMap((term) => term.replaceAll(':', ' ').split(/\s+/)))].filter((word) => word !== '')
}

function toNovaLanguage(tag: string): string {
  const [baseLanguage = ''] = tag.toLowerCase().split('-')
  return LANGUAGES_BY_TAG.get(tag.toLowerCase()) ?? baseLanguage
}
