import { findBestMatch, measureEnvelope } from '../speech-server/envelope.ts'
import type { Recording } from '../speech-server/wav-audio.ts'

/** Minimum correlation with a known recording. Other audio is not recognized. */
const MIN_CORRELATION = 0.8

/** Known recordings with their texts, or a function that recognizes any audio. */
export class RecordingLibrary {
  /** Recognizes words before the end of an utterance, which known recordings do not support. */
  readonly recognizeStart: ((recording: Recording) => string) | null
  readonly #entries: { readonly envelope: Float64Array; readonly text: string }[] = []

  constructor(recognizeStart: ((recording: Recording) => string) | null = null) {
    this.recognizeStart = recognizeStart
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.recognizeStart === null
  }

  add(recording: Recording, text: string): void {
    this.#entries.push({ envelope: measureEnvelope(recording), text })
  }

  /** Returns the text of the most similar recording, or an empty string. */
  recognize(recording: Recording): string {
    if (this.recognizeStart !== null) return this.recognizeStart(recording)
    const envelope = measureEnvelope(recording)
    let best = { correlation: MIN_CORRELATION, text: '' }
    for (const entry of this.#entries) {
      const { correlation } = findBestMatch(entry.envelope, envelope)
      if (correlation >= best.correlation) best = { correlation, text: entry.text }
    }
    return best.text
  }
}
