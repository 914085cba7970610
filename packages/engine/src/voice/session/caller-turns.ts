import type { TimedWord } from '../ports.ts'
import { MAX_CONSUMED_UTTERANCES } from '../turn-machine/consume-turn.ts'
import { countSpacedWords, textAfterWords } from '../turn-machine/words/spaced-words.ts'
import type { TranscribedText } from './call-transcription.ts'

/** What is known of how the caller's turn under way was spoken. */
export interface SpokenTurn {
  readonly words: readonly TimedWord[]
  readonly finalTextAtMs: number | null
}

/** Gathers when the words of the caller's turn were spoken, until the turn is committed. */
export class CallerTurns {
  #count = 0
  #words: TimedWord[] = []
  #finalTextAtMs: number | null = null
  readonly #texts = new Map<string, string>()
  /** Words of utterances that the turn before has taken: what is told of them again is not of this one. */
  readonly #consumed = new Map<string, number>()

  /** Of the turn under way, as captions name it. */
  get captionId(): string {
    return `user-${this.#count}`
  }

  /** What was understood of the turn so far. */
  get text(): string {
    return [...this.#texts.values()].join(' ')
  }

  /** Takes in what was understood and answers the whole text of the turn so far. */
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

  /** The turn is over; the next one begins. */
  take(): SpokenTurn {
    const turn = { words: this.#words, finalTextAtMs: this.#finalTextAtMs }
    this.#count += 1
    this.#words = []
    this.#finalTextAtMs = null
    for (const [utteranceId, text] of this.#texts) {
      const words = (this.#consumed.get(utteranceId) ?? 0) + countSpacedWords(text)
      // The newest stands last.
      this.#consumed.delete(utteranceId)
      this.#consumed.set(utteranceId, words)
    }
    const expired = [...this.#consumed.keys()].slice(0, -MAX_CONSUMED_UTTERANCES)
    for (const utteranceId of expired) this.#consumed.delete(utteranceId)
    this.#texts.clear()
    return turn
  }
}
