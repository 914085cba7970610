import { endsWithPhrase, phraseLength, splitWords } from '../words/split-words.ts'
import type { WordList } from '../words/word-list.ts'
import { answerProgress, type ExpectedAnswer, endsAsQuestion } from './expected-answer.ts'

/** What the words of a caller tell of whether they are done. */
export interface EndOfTurnEstimate {
  /** 0 to 1. */
  readonly probability: number
  /** An answer in groups (digits, letters) goes on: the pause between two of them is waited for. */
  readonly isInGroups: boolean
}

export interface EndOfTurnInput {
  readonly text: string
  readonly expectedAnswer: ExpectedAnswer
  /** The recogniser's own opinion; `null`: it has none. */
  readonly transcriberEstimate: number | null
}

/** Fewer words than these may be the beginning of anything. */
const SENTENCE_WORDS = 3

/**
 * How likely it is that a caller who said this is done. A pure function of the text: closing punctuation, form of a question
 * or request, a word after which sentences go on, a filler, an unfinished row of digits, what the agent asked. A recogniser
 * that judges by the sound knows better, but for rows of digits.
 */
export function estimateEndOfTurn(
  { text, expectedAnswer, transcriberEstimate }: EndOfTurnInput,
  words: WordList,
): EndOfTurnEstimate {
  const progress = answerProgress(text, expectedAnswer, words)
  if (progress === 'unfinished') return { probability: 0.15, isInGroups: true }
  if (transcriberEstimate !== null) {
    return { probability: Math.min(1, Math.max(0, transcriberEstimate)), isInGroups: progress === 'may-be-complete' }
  }
  if (progress === 'complete') return { probability: 0.8, isInGroups: false }
  if (progress === 'may-be-complete') return { probability: 0.5, isInGroups: true }
  return { probability: probabilityOf(text.trim(), expectedAnswer, words), isInGroups: false }
}

function probabilityOf(text: string, expectedAnswer: ExpectedAnswer, words: WordList): number {
  const spoken = splitWords(text)
  if (spoken.length === 0) return 0
  if (endsAsQuestion(text)) return 0.9
  // A recogniser puts a full stop where the sound stops; after "and" it means nothing.
  if (endsWithPhrase(spoken, words.fillers) || endsWithPhrase(spoken, words.trailing)) {
    // "Si" may be a whole answer in French.
    return isShortAnswer(spoken, words) ? 0.5 : 0.1
  }
  if (/(…|\.\.\.|[,;:–—-])$/u.test(text)) return 0.15
  if (isShortAnswer(spoken, words)) return expectedAnswer === null ? 0.65 : 0.85
  if (endsWithPhrase(spoken, words.commands) && spoken.length <= SENTENCE_WORDS) return 0.4
  if (/[.!。！]["'”»)]*$/u.test(text)) return 0.75
  if (spoken.length < SENTENCE_WORDS) return expectedAnswer === null ? 0.4 : 0.55
  if (phraseLength(spoken, 0, words.questionStarts) > 0) return 0.65
  if (phraseLength(spoken, 0, words.requestStarts) > 0) return 0.6
  return 0.5
}

function isShortAnswer(spoken: readonly string[], words: WordList): boolean {
  let position = 0
  while (position < spoken.length) {
    const length = phraseLength(spoken, position, words.shortAnswers)
    if (length === 0) return false
    position += length
  }
  return true
}
