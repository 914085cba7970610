import type { RecognitionStage } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'

/** A piece of what a browser's recogniser has understood. */
interface RecognitionPiece {
  readonly isFinal: boolean
  readonly length: number
  readonly [index: number]: { readonly transcript: string; readonly confidence: number }
}

/** As much of a browser's `SpeechRecognition` as is used here. */
export interface SpeechRecogniser {
  lang: string
  continuous: boolean
  interimResults: boolean
  maxAlternatives: number
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<RecognitionPiece> }) => void) | null
  onerror: ((event: { readonly error: string }) => void) | null
  onend: (() => void) | null
  start(track?: MediaStreamTrack): void
  abort(): void
}

/** What the browser recognises speech with; `null` where it has nothing. */
export function findSpeechRecogniser(): (new () => SpeechRecogniser) | null {
  const scope = globalThis as {
    readonly SpeechRecognition?: new () => SpeechRecogniser
    readonly webkitSpeechRecognition?: new () => SpeechRecogniser
  }
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition ?? null
}

export interface RecognitionOptions {
  readonly make: () => SpeechRecogniser
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
const HOPELESS = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported', 'audio-capture'])
/** The service behind the recogniser is not there; so many times in a row are enough. */
const MOST_NETWORK_ERRORS = 3
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000
/** One that lived so long ended as they all do: the next begins at once. */
const LIVED_MS = 2_000
/** Browsers give a small confidence to what they may still rewrite. */
const STABLE_CONFIDENCE = 0.5

/** Keeps a browser's recogniser running, which ends by itself again and again, and tells utterances of what it understands. */
export class BrowserRecognition {
  readonly #options: RecognitionOptions
  #recogniser: SpeechRecogniser | null = null
  #cancelPause: (() => void) | null = null
  #isStopped = false
  #pauseMs = 0
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
    this.#cancelPause?.()
    this.#release()?.abort()
  }

  /** Begins anew, with another microphone for example. */
  restart(): void {
    if (this.#isStopped) return
    this.#cancelPause?.()
    this.#release()?.abort()
    this.#endUtterance()
    this.#start()
  }

  #start(): void {
    const { make, clock, language, track } = this.#options
    const recogniser = make()
    recogniser.lang = language
    recogniser.continuous = true
    recogniser.interimResults = true
    recogniser.maxAlternatives = 1
    recogniser.onresult = ({ results }) => this.#read(results)
    recogniser.onerror = ({ error }) => this.#fail(error)
    recogniser.onend = () => this.#end()
    this.#recogniser = recogniser
    this.#firstResult = 0
    this.#startedAtMs = clock.now()
    try {
      recogniser.start(track() ?? undefined)
    } catch {
      this.#end()
    }
  }

  #read(results: ArrayLike<RecognitionPiece>): void {
    this.#networkErrors = 0
    let text = ''
    let isStable = true
    for (let index = this.#firstResult; index < results.length; index += 1) {
      const piece = results[index]
      const best = piece?.[0]
      if (piece === undefined || best === undefined) continue
      text += best.transcript
      if (piece.isFinal) {
        this.#tell(text, 'final')
        this.#firstResult = index + 1
        text = ''
        isStable = true
      } else isStable &&= best.confidence >= STABLE_CONFIDENCE
    }
    const interim = text.trim()
    if (interim !== '') this.#tell(text, isStable || interim === this.#text ? 'stable' : 'interim')
  }

  #tell(text: string, stage: RecognitionStage): void {
    const trimmed = text.trim()
    if (stage === 'final' && trimmed === '' && this.#text === '') return
    this.#text = stage === 'final' ? '' : trimmed
    this.#options.onText(`${this.#options.idPrefix}${this.#utterances}`, trimmed, stage)
    if (stage === 'final') this.#utterances += 1
  }

  #fail(error: string): void {
    if (error === 'network') this.#networkErrors += 1
    if (!HOPELESS.has(error) && this.#networkErrors < MOST_NETWORK_ERRORS) return
    this.stop()
    this.#options.onUnavailable(error)
  }

  #end(): void {
    if (this.#isStopped) return
    this.#release()
    this.#endUtterance()
    const hasLived = this.#options.clock.now() - this.#startedAtMs >= LIVED_MS
    this.#pauseMs = hasLived ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2))
    this.#cancelPause = this.#options.clock.after(this.#pauseMs, () => this.#start())
  }

  /** What was understood last stands when no final text of it will come. */
  #endUtterance(): void {
    if (this.#text !== '') this.#tell(this.#text, 'final')
  }

  #release(): SpeechRecogniser | null {
    const recogniser = this.#recogniser
    this.#recogniser = null
    if (recogniser !== null) {
      recogniser.onresult = null
      recogniser.onerror = null
      recogniser.onend = null
    }
    return recogniser
  }
}
