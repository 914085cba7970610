import type { Clock } from '@parley/engine/ports'
import type { RecognitionHints } from '@parley/engine/voice/ports'
import { selectKeyTerms } from './deepgram-wire.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** Settings of a Flux stream that can change while it is open. */
export interface FluxSettings {
  readonly keyTerms: readonly string[]
  /** Empty for models of one language, and if the model detects the language without a hint. */
  readonly languageHints: readonly string[]
  /** Silence after which a turn ends even if it sounds unfinished. */
  readonly timeoutMs: number
}

/** Confidence at which a turn has probably ended, so that the answer can be prepared. */
const EAGER_END_OF_TURN_THRESHOLD = 0.5
const END_OF_TURN_THRESHOLD = 0.7
const DEFAULT_TIMEOUT_MS = 5_000
const MIN_TIMEOUT_MS = 500
const MAX_TIMEOUT_MS = 60_000
/** Languages of the multilingual model. */
const LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl']

/** Time for the vendor to answer a change. Later changes do not wait for longer. */
const ANSWER_TIMEOUT_MS = 5_000

function toFluxSettings(model: string, { language, keywords, endpointingMs }: RecognitionHints): FluxSettings {
  const [baseLanguage = ''] = language.toLowerCase().split('-')
  const hasHint = isMultilingual(model) && LANGUAGES.includes(baseLanguage)
  return {
    keyTerms: selectKeyTerms(keywords),
    languageHints: hasHint ? [baseLanguage] : [],
    timeoutMs: Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, endpointingMs ?? DEFAULT_TIMEOUT_MS)),
  }
}

/** Returns the parameters with which a stream is opened. */
export function toFluxParameters({ keyTerms, languageHints, timeoutMs }: FluxSettings) {
  return {
    eager_eot_threshold: EAGER_END_OF_TURN_THRESHOLD,
    eot_threshold: END_OF_TURN_THRESHOLD,
    eot_timeout_ms: timeoutMs,
    keyterm: keyTerms,
    language_hint: languageHints,
  }
}

interface FluxConfigurationOptions {
  readonly model: string
  readonly hints: RecognitionHints
  readonly clock: Pick<Clock, 'now'>
  /** Sends a message. Returns false if the connection is not open. */
  readonly send: (message: JsonFields) => boolean
}

/**
 * Changes the settings of an open stream. The vendor accepts one change at a time, so later changes wait and replace each other.
 * A change that the vendor rejects is dropped.
 */
export class FluxConfiguration {
  readonly #options: FluxConfigurationOptions
  #requestedSettings: FluxSettings
  /** Settings that the connection was opened with or that were sent last. */
  #sentSettings: FluxSettings
  /** Time of the change that waits for an answer. */
  #sentAtMs: number | null = null

  constructor(options: FluxConfigurationOptions) {
    this.#options = options
    this.#requestedSettings = toFluxSettings(options.model, options.hints)
    this.#sentSettings = this.#requestedSettings
  }

  /** Returns the settings for a new connection. */
  startConnection(): FluxSettings {
    this.#sentSettings = this.#requestedSettings
    this.#sentAtMs = null
    return this.#sentSettings
  }

  changeHints(hints: RecognitionHints): void {
    this.#requestedSettings = toFluxSettings(this.#options.model, hints)
    this.sendChange()
  }

  /** Handles the vendor's answer to a change. */
  handleAnswer(): void {
    this.#sentAtMs = null
    this.sendChange()
  }

  /** Sends the latest settings unless they were sent. Called again when the connection opens, and regularly. */
  sendChange(): void {
    const { send, clock } = this.#options
    const isAnswerPending = this.#sentAtMs !== null && clock.now() - this.#sentAtMs < ANSWER_TIMEOUT_MS
    if (isAnswerPending || isEqual(this.#sentSettings, this.#requestedSettings)) return
    if (!send(this.#buildMessage(this.#requestedSettings))) return
    this.#sentSettings = this.#requestedSettings
    this.#sentAtMs = clock.now()
  }

  #buildMessage({ keyTerms, languageHints, timeoutMs }: FluxSettings): JsonFields {
    return {
      type: 'Configure',
      thresholds: {
        eager_eot_threshold: EAGER_END_OF_TURN_THRESHOLD,
        eot_threshold: END_OF_TURN_THRESHOLD,
        eot_timeout_ms: timeoutMs,
      },
      keyterms: keyTerms,
      ...(isMultilingual(this.#options.model) && { language_hints: languageHints }),
    }
  }
}

function isMultilingual(model: string): boolean {
  return model.includes('multi')
}

function isEqual(left: FluxSettings, right: FluxSettings): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
