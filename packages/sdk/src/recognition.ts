import type { RecognitionStage } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'

/** A piece of what a browser's recogniser has understood. */
interface RecognitionResult {
  readonly isFinal: boolean
  readonly length: number
  readonly [index: number]: { readonly transcript: string; readonly confidence: number }
}

/** As much of a browser's `SpeechRecognition` as is used here. */
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

/** What the browser recognises speech with; `null` where it has nothing. */
export function findSpeechRecognizer(): (new () => SpeechRecognizer) | null {
  const scope = globalThis as {
    readonly SpeechRecognition?: new () => SpeechRecognizer
    readonly webkitSpeechRecognition?: new () => SpeechRecognizer
  }
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition ?? null
}

export interface RecognitionOptions {
  readonly make: () => SpeechRecognizer
  readonly clock: ClientClock
  /** A language tag such as `en-US`. */
  readonly language: string
  /** Begins the ids of utterances, which may not be used twice in a call. */
  readonly idPrefix: string
  /** The microphone without the agent's voice in it, for browsers that take one. */
  readonly track: () => MediaStreamTrack | null
  readonly onText: (utteranceId: string, text: string, stage: RecognitionStage) => void
  /** It will not work in this browser. */
  readonly onUnavailable: (reason: string) => void
}

/** Errors after which another attempt cannot help. */
const FATAL_ERRORS = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported', 'audio-capture'])
/** The service behind the recogniser is not there; so many times in a row are enough. */
const MAX_NETWORK_ERRORS = 3
const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 4_000
/** One that lived so long ended as they all do: the next begins at once. */
const MIN_UPTIME_MS = 2_000
/** Browsers give a small confidence to what they may still rewrite. */
const STABLE_CONFIDENCE = 0.5

/** Keeps a browser's recogniser running, which ends by itself again and again, and tells utterances of what it understands. */
export class BrowserRecognition {
  readonly #options: RecognitionOptions
  #recognizer: SpeechRecognizer | null = null
  #cancelBackoff: (() => void) | null = null
  #isStopped = false
  #backoffMs = 0
  #startedAtMs = 0
  #networkErrors = 0
  #utterances = 0
  #text = ''
  /** Results before this one belong to utterances that are told. */
  #firstResult = 0

  constructor(options: RecognitionOptions) {
    this.#options = options
    this.#start()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelBackoff?.()
    this.#release()?.abort()
  }

  /** Begins anew, with another microphone for example. */
  restart(): void {
    if (this.#isStopped) return
    this.#cancelBackoff?.()
    this.#release()?.abort()
    this.#endUtterance()
    this.#start()
  }

  #start(): void {
    const { make, clock, language, track } = this.#options
    const recognizer = make()
    recognizer.lang = language
    recognizer.continuous = true
    recognizer.interimResults = true
    recognizer.maxAlternatives = 1
    recognizer.onresult = ({ results }) => this.#read(results)
    recognizer.onerror = ({ error }) => this.#fail(error)
    recognizer.onend = () => this.#end()
    this.#recognizer = recognizer
    this.#firstResult = 0
    this.#startedAtMs = clock.now()
    try {
      recognizer.start(track() ?? undefined)
    } catch {
      this.#end()
    }
  }

  #read(results: ArrayLike<RecognitionResult>): void {
    this.#networkErrors = 0
    let text = ''
    let isStable = true
    for (let index = this.#firstResult; index < results.length; index += 1) {
      const result = results[index]
      const best = result?.[0]
      if (result === undefined || best === undefined) continue
      text += best.transcript
      if (result.isFinal) {
        this.#emit(text, 'final')
        this.#firstResult = index + 1
        text = ''
        isStable = true
      } else isStable &&= best.confidence >= STABLE_CONFIDENCE
    }
    const interim = text.trim()
    if (interim !== '') this.#emit(text, isStable || interim === this.#text ? 'stable' : 'interim')
  }

  #emit(text: string, stage: RecognitionStage): void {
    const trimmed = text.trim()
    if (stage === 'final' && trimmed === '' && this.#text === '') return
    this.#text = stage === 'final' ? '' : trimmed
    this.#options.onText(`${this.#options.idPrefix}${this.#utterances}`, trimmed, stage)
    if (stage === 'final') this.#utterances += 1
  }

  #fail(error: string): void {
    if (error === 'network') this.#networkErrors += 1
    if (!FATAL_ERRORS.has(error) && this.#networkErrors < MAX_NETWORK_ERRORS) return
    this.stop()
    this.#options.onUnavailable(error)
  }

  #end(): void {
    if (this.#isStopped) return
    this.#release()
    this.#endUtterance()
    const wasStable = this.#options.clock.now() - this.#startedAtMs >= MIN_UPTIME_MS
    this.#backoffMs = wasStable ? 0 : Math.min(MAX_BACKOFF_MS, Math.max(INITIAL_BACKOFF_MS, this.#backoffMs * 2))
    this.#cancelBackoff = this.#options.clock.after(this.#backoffMs, () => this.#start())
  }

  /** What was understood last stands when no final text of it will come. */
  #endUtterance(): void {
    if (this.#text !== '') this.#emit(this.#text, 'final')
  }

  #release(): SpeechRecognizer | null {
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
