import { splitWords } from '../words/split-words.ts'
import type { WordList } from '../words/word-list.ts'

/** The kind of answer that the agent's last question asks for. */
export type ExpectedAnswer = 'phone' | 'date' | 'email' | 'spelling' | 'number' | 'question' | null

/** The progress of an answer. `not-in-groups`: the answer is not given in groups. */
type AnswerProgress = 'not-in-groups' | 'unfinished' | 'may-be-complete' | 'complete'

/** Minimum and usual number of digits in a phone number. */
const PHONE_DIGITS = { min: 7, usual: 10 }
const MIN_SPELLED_LETTERS = 3
const MIN_DATE_PARTS = 2

/** Number of sentences to search, because an explanation may follow a question. */
const MAX_SEARCHED_SENTENCES = 3
const SENTENCE_PATTERN = /[^.!?？؟。！]+[.!?？؟。！"'”»)]*/gu

/** Detects the expected answer in the agent's last sentences. */
export function detectExpectedAnswer(text: string, wordList: WordList): ExpectedAnswer {
  const sentences = text.match(SENTENCE_PATTERN)?.slice(-MAX_SEARCHED_SENTENCES).reverse() ?? []
  for (const sentence of sentences) {
    const expectedAnswer = detectAnswerInSentence(sentence, wordList)
    if (expectedAnswer !== null) return expectedAnswer
  }
  return null
}

function detectAnswerInSentence(sentence: string, wordList: WordList): ExpectedAnswer {
  const text = sentence.normalize('NFC').toLowerCase()
  const answerKinds = ['phone', 'email', 'spelling', 'date', 'number'] as const
  const answerKind = answerKinds.find((name) => wordList.answerCues[name].some((phrase) => text.includes(phrase)))
  return answerKind ?? (endsWithQuestionMark(sentence) ? 'question' : null)
}

/** Whether a text ends with a question mark of any script. */
export function endsWithQuestionMark(text: string): boolean {
  return /[?？؟]["'”»)]*\s*$/u.test(text)
}

/** Returns the progress of an answer in groups, or `not-in-groups` for any other text. */
export function getAnswerProgress(text: string, expectedAnswer: ExpectedAnswer, wordList: WordList): AnswerProgress {
  const spokenWords = splitWords(text)
  switch (expectedAnswer) {
    case 'phone':
      return getPhoneProgress(countDigits(spokenWords, wordList), isNumber(spokenWords.at(-1), wordList))
    case 'date':
      return getDateProgress(spokenWords, wordList)
    case 'email':
      return getEmailProgress(text, spokenWords, wordList)
    case 'spelling':
      return getSpellingProgress(spokenWords)
    case 'number':
    case 'question':
    case null: {
      // A single number at the end ("for two") is complete, but a sequence of digits may continue.
      return endsInDigitGroup(spokenWords, wordList) ? 'unfinished' : 'not-in-groups'
    }
    default:
      return expectedAnswer satisfies never
  }
}

function getPhoneProgress(digits: number, endsInNumber: boolean): AnswerProgress {
  if (digits === 0) return 'not-in-groups'
  if (digits >= PHONE_DIGITS.usual) return 'complete'
  if (digits >= PHONE_DIGITS.min) return 'may-be-complete'
  return endsInNumber ? 'unfinished' : 'not-in-groups'
}

function getDateProgress(spokenWords: readonly string[], wordList: WordList): AnswerProgress {
  if (spokenWords.some((word) => wordList.days.has(word))) return 'may-be-complete'
  const numbers = spokenWords.filter((word) => isNumber(word, wordList)).length
  const hasMonth = spokenWords.some((word) => wordList.months.has(word))
  if (numbers === 0 && !hasMonth) return 'not-in-groups'
  return numbers + (hasMonth ? 1 : 0) >= MIN_DATE_PARTS ? 'may-be-complete' : 'unfinished'
}

const MAX_EMAIL_DOMAIN_LENGTH = 300

function endsWithEmail(text: string): boolean {
  const atIndex = text.lastIndexOf('@')
  if (atIndex < 1 || text.length - atIndex > MAX_EMAIL_DOMAIN_LENGTH || /\s/.test(text.charAt(atIndex - 1)))
    return false
  return /^\S+\.\p{L}{2,63}[^\p{L}\p{N}]*$/u.test(text.slice(atIndex + 1))
}

function getEmailProgress(text: string, spokenWords: readonly string[], wordList: WordList): AnswerProgress {
  if (endsWithEmail(text)) return 'complete'
  const atIndex = spokenWords.findIndex((word) => wordList.atWords.has(word) || word.includes('@'))
  const dotIndex = spokenWords.findLastIndex((word) => wordList.dotWords.has(word))
  if (atIndex === -1) return spokenWords.length <= 2 || dotIndex !== -1 ? 'unfinished' : 'not-in-groups'
  return dotIndex > atIndex && dotIndex < spokenWords.length - 1 ? 'complete' : 'unfinished'
}

function getSpellingProgress(spokenWords: readonly string[]): AnswerProgress {
  const letters = spokenWords.filter((word) => [...word].length === 1).length
  if (letters === 0) return 'not-in-groups'
  return letters < MIN_SPELLED_LETTERS ? 'unfinished' : 'may-be-complete'
}

function endsInDigitGroup(spokenWords: readonly string[], wordList: WordList): boolean {
  const lastWord = spokenWords.at(-1)
  if (!isNumber(lastWord, wordList)) return false
  const lastWords = spokenWords.slice(-2)
  return lastWords.length === 2 && lastWords.every((word) => isNumber(word, wordList))
}

function countDigits(spokenWords: readonly string[], wordList: WordList): number {
  let count = 0
  for (const word of spokenWords) {
    const digits = word.replace(/\D/gu, '').length
    count += digits > 0 ? digits : wordList.numbers.has(word) ? 1 : 0
  }
  return count
}

function isNumber(word: string | undefined, wordList: WordList): boolean {
  return word !== undefined && (/^\+?\d+$/u.test(word) || wordList.numbers.has(word))
}
