import type { TimedWord } from '../ports.ts'
import { MAX_CONSUMED_UTTERANCES } from '../turn-machine/consume-turn.ts'
import { countSpacedWords, textAfterWords } from '../turn-machine/words/spaced-words.ts'
import type { TranscribedText } from './call-transcription.ts'

/** How the caller spoke a turn. */
export interface SpokenTurn {
  readonly words: readonly TimedWord[]
  readonly finalTextAtMs: number | null
}

/** Collects the text and word times of the caller's turn until it is committed. */
export class CallerTurns {
  #count = 0
  #words: TimedWord[] = []
  #finalTextAtMs: number | null = null
  readonly #texts = new Map<string, string>()
  /** Words per utterance that earlier turns consumed. */
  readonly #consumed = new Map<string, number>()

  /** Caption id of the current turn. */
  get captionId(): string {
    return `user-${this.#count}`
  }

  /** Text of the current turn. */
  get text(): string {
    return [...this.#texts.values()].join(' ')
  }

  /** Adds a text and returns the whole turn so far. */
  heard({ utteranceId, text: whole, stage, words }: TranscribedText, nowMs: number): string {
    const consumedWords = this.#consumed.get(utteranceId) ?? 0
    const text = textAfterWords(whole, consumedWords)
    if (text === '') this.#texts.delete(utteranceId)
    else this.#texts.set(utteranceId, text)
    if (stage === 'final' && text !== '') {
      this.#words.push(...words.slice(consumedWords))
      this.#finalTextAtMs = nowMs
    }
    return this.text
  }

  /** Returns the finished turn and starts the next one. */
  take(): SpokenTurn {
    const turn = { words: this.#words, finalTextAtMs: this.#finalTextAtMs }
    this.#count += 1
    this.#words = []
    this.#finalTextAtMs = null
    for (const [utteranceId, text] of this.#texts) {
      const words = (this.#consumed.get(utteranceId) ?? 0) + countSpacedWords(text)
      // Keep the newest entry last.
      this.#consumed.delete(utteranceId)
      this.#consumed.set(utteranceId, words)
    }
    const expired = [...this.#consumed.keys()].slice(0, -MAX_CONSUMED_UTTERANCES)
    for (const utteranceId of expired) this.#consumed.delete(utteranceId)
    this.#texts.clear()
    return turn
  }
}
