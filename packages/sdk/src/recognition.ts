import type { RecognitionStage } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'

/** A result from the browser's recognizer. */
interface RecognitionResult {
  readonly isFinal: boolean
  readonly length: number
  readonly [index: number]: { readonly transcript: string; readonly confidence: number }
}

/** The subset of `SpeechRecognition` that the page uses. */
export interface SpeechRecognizer {
  lang: string
  continuous: boolean
  interimResults: boolean
  maxAlternatives: number
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<RecognitionResult> }) => void) | null
  onerror: ((event: { readonly error: string }) => void) | null
  onend: (() => void) | null
  start(track?: MediaStreamTrack): void
  abort(): void
}

/** Returns the browser's speech recognizer, or `null` if speech recognition is unsupported. */
export function findSpeechRecognizer(): (new () => SpeechRecognizer) | null {
  const scope = globalThis as {
    readonly SpeechRecognition?: new () => SpeechRecognizer
    readonly webkitSpeechRecognition?: new () => SpeechRecognizer
  }
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition ?? null
}

interface RecognitionOptions {
  readonly createRecognizer: () => SpeechRecognizer
  readonly clock: ClientClock
  /** Language tag such as `en-US`. */
  readonly language: string
  /** Prefix of utterance IDs, which must be unique within a call. */
  readonly idPrefix: string
  /** Returns the echo-canceled microphone track, for browsers that accept a track. */
  readonly track: () => MediaStreamTrack | null
  readonly onText: (utteranceId: string, text: string, stage: RecognitionStage) => void
  /** Called when recognition does not work in the current browser. */
  readonly onUnavailable: (reason: string) => void
}

/** Errors after which recognition is not restarted. */
const FATAL_ERRORS = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported', 'audio-capture'])
/** Number of consecutive network errors after which the service counts as unavailable. */
const MAX_NETWORK_ERRORS = 3
const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 4_000
/** Minimum run time of a recognizer that ended normally and is restarted immediately. */
const MIN_UPTIME_MS = 2_000
/** Browsers report a low confidence for text that they can still change. */
const STABLE_CONFIDENCE = 0.5

/** Restarts the browser's recognizer whenever it ends, and splits its results into utterances. */
export class BrowserRecognition {
  readonly #options: RecognitionOptions
  #recognizer: SpeechRecognizer | null = null
  #cancelBackoff: (() => void) | null = null
  #isStopped = false
  #backoffMs = 0
  #startedAtMs = 0
  #networkErrors = 0
  #utteranceCount = 0
  #interimText = ''
  /** Index of the first result that has not been reported. */
  #firstResult = 0

  constructor(options: RecognitionOptions) {
    this.#options = options
    this.#start()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelBackoff?.()
    this.#detachRecognizer()?.abort()
  }

  /** Restarts recognition, for example with another microphone. */
  restart(): void {
    if (this.#isStopped) return
    this.#cancelBackoff?.()
    this.#detachRecognizer()?.abort()
    this.#endUtterance()
    this.#start()
  }

  #start(): void {
    const { createRecognizer, clock, language, track } = this.#options
    const recognizer = createRecognizer()
    recognizer.lang = language
    recognizer.continuous = true
    recognizer.interimResults = true
    recognizer.maxAlternatives = 1
    recognizer.onresult = ({ results }) => this.#handleResults(results)
    recognizer.onerror = ({ error }) => this.#handleError(error)
    recognizer.onend = () => this.#handleEnd()
    this.#recognizer = recognizer
    this.#firstResult = 0
    this.#startedAtMs = clock.now()
    try {
      recognizer.start(track() ?? undefined)
    } catch {
      this.#handleEnd()
    }
  }

  #handleResults(results: ArrayLike<RecognitionResult>): void {
    this.#networkErrors = 0
    let text = ''
    let isStable = true
    for (let index = this.#firstResult; index < results.length; index += 1) {
      const result = results[index]
      const alternative = result?.[0]
      if (result === undefined || alternative === undefined) continue
      text += alternative.transcript
      if (result.isFinal) {
        this.#emit(text, 'final')
        this.#firstResult = index + 1
        text = ''
        isStable = true
      } else isStable &&= alternative.confidence >= STABLE_CONFIDENCE
    }
    const interim = text.trim()
    if (interim !== '') this.#emit(text, isStable || interim === this.#interimText ? 'stable' : 'interim')
  }

  #emit(text: string, stage: RecognitionStage): void {
    const trimmed = text.trim()
    if (stage === 'final' && trimmed === '' && this.#interimText === '') return
    this.#interimText = stage === 'final' ? '' : trimmed
    this.#options.onText(`${this.#options.idPrefix}${this.#utteranceCount}`, trimmed, stage)
    if (stage === 'final') this.#utteranceCount += 1
  }

  #handleError(error: string): void {
    if (error === 'network') this.#networkErrors += 1
    if (!FATAL_ERRORS.has(error) && this.#networkErrors < MAX_NETWORK_ERRORS) return
    this.stop()
    this.#options.onUnavailable(error)
  }

  #handleEnd(): void {
    if (this.#isStopped) return
    this.#detachRecognizer()
    this.#endUtterance()
    const wasStable = this.#options.clock.now() - this.#startedAtMs >= MIN_UPTIME_MS
    this.#backoffMs = wasStable ? 0 : Math.min(MAX_BACKOFF_MS, Math.max(INITIAL_BACKOFF_MS, this.#backoffMs * 2))
    this.#cancelBackoff = this.#options.clock.after(this.#backoffMs, () => this.#start())
  }

  /** Ends the utterance. Without a final text, the last interim text becomes final. */
  #endUtterance(): void {
    if (this.#interimText !== '') this.#emit(this.#interimText, 'final')
  }

  #detachRecognizer(): SpeechRecognizer | null {
    const recognizer = this.#recognizer
    this.#recognizer = null
    if (recognizer !== null) {
      recognizer.onresult = null
      recognizer.onerror = null
      recognizer.onend = null
    }
    return recognizer
  }
}
