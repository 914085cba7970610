import { splitWords } from '../words/split-words.ts'
import type { WordList } from '../words/word-list.ts'

/** What the agent asked for last, as far as it says how long an answer is. */
export type ExpectedAnswer = 'phone' | 'date' | 'email' | 'spelling' | 'number' | 'question' | null

/** How far an answer has come. `parts`: it is given in groups with pauses between them. */
export type AnswerProgress = 'no-parts' | 'unfinished' | 'may-be-complete' | 'complete'

/** Digits from which a phone number may be complete, and from which it is. */
const PHONE_DIGITS = { min: 7, usual: 10 }
const SPELLED_LETTERS = 3
const DATE_PARTS = 2

/** A question is looked for in so many sentences: what it is asked for may be explained behind it. */
const LAST_SENTENCES = 3
const SENTENCE = /[^.!?？؟。！]+[.!?？؟。！"'”»)]*/gu

/** Recognises by the words of the agent's last question, or of its last sentences, what it waits for. */
export function expectedAnswerTo(text: string, words: WordList): ExpectedAnswer {
  const sentences = text.match(SENTENCE)?.slice(-LAST_SENTENCES).reverse() ?? []
  for (const sentence of sentences) {
    const expectedAnswer = expectedAnswerIn(sentence, words)
    if (expectedAnswer !== null) return expectedAnswer
  }
  return null
}

function expectedAnswerIn(sentence: string, words: WordList): ExpectedAnswer {
  const text = sentence.normalize('NFC').toLowerCase()
  const names = ['phone', 'email', 'spelling', 'date', 'number'] as const
  const found = names.find((name) => words.answerCues[name].some((phrase) => text.includes(phrase)))
  return found ?? (endsAsQuestion(sentence) ? 'question' : null)
}

/** Whether a text ends with a question mark of any script. */
export function endsAsQuestion(text: string): boolean {
  return /[?？؟]["'”»)]*\s*$/u.test(text)
}

/** How complete an answer is that is given in groups; `no-parts` where nothing of the kind is expected or said. */
export function answerProgress(text: string, expectedAnswer: ExpectedAnswer, words: WordList): AnswerProgress {
  const spoken = splitWords(text)
  switch (expectedAnswer) {
    case 'phone':
      return phoneProgress(countDigits(spoken, words), isNumber(spoken.at(-1), words))
    case 'date':
      return dateProgress(spoken, words)
    case 'email':
      return emailProgress(text, spoken, words)
    case 'spelling':
      return spellingProgress(spoken)
    case 'number':
    case 'question':
    case null: {
      // A number at the end of a sentence of other words ("for two") is its end; a row of digits may go on.
      return endsInDigitGroup(spoken, words) ? 'unfinished' : 'no-parts'
    }
    default:
      return expectedAnswer satisfies never
  }
}

function phoneProgress(digits: number, endsInNumber: boolean): AnswerProgress {
  if (digits === 0) return 'no-parts'
  if (digits >= PHONE_DIGITS.usual) return 'complete'
  if (digits >= PHONE_DIGITS.min) return 'may-be-complete'
  return endsInNumber ? 'unfinished' : 'no-parts'
}

function dateProgress(spoken: readonly string[], words: WordList): AnswerProgress {
  if (spoken.some((word) => words.days.has(word))) return 'may-be-complete'
  const numbers = spoken.filter((word) => isNumber(word, words)).length
  const hasMonth = spoken.some((word) => words.months.has(word))
  if (numbers === 0 && !hasMonth) return 'no-parts'
  return numbers + (hasMonth ? 1 : 0) >= DATE_PARTS ? 'may-be-complete' : 'unfinished'
}

const MAX_EMAIL_DOMAIN_LENGTH = 300

function endsWithEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length - at > MAX_EMAIL_DOMAIN_LENGTH || /\s/.test(text.charAt(at - 1))) return false
  return /^\S+\.\p{L}{2,63}[^\p{L}\p{N}]*$/u.test(text.slice(at + 1))
}

function emailProgress(text: string, spoken: readonly string[], words: WordList): AnswerProgress {
  if (endsWithEmail(text)) return 'complete'
  const at = spoken.findIndex((word) => words.at.has(word) || word.includes('@'))
  const dot = spoken.findLastIndex((word) => words.dot.has(word))
  if (at === -1) return spoken.length <= 2 || dot !== -1 ? 'unfinished' : 'no-parts'
  return dot > at && dot < spoken.length - 1 ? 'complete' : 'unfinished'
}

function spellingProgress(spoken: readonly string[]): AnswerProgress {
  const letters = spoken.filter((word) => [...word].length === 1).length
  if (letters === 0) return 'no-parts'
  return letters < SPELLED_LETTERS ? 'unfinished' : 'may-be-complete'
}

function endsInDigitGroup(spoken: readonly string[], words: WordList): boolean {
  const last = spoken.at(-1)
  if (!isNumber(last, words)) return false
  const row = spoken.slice(-2)
  return row.length === 2 && row.every((word) => isNumber(word, words))
}

function countDigits(spoken: readonly string[], words: WordList): number {
  let count = 0
  for (const word of spoken) {
    const digits = word.replace(/\D/gu, '').length
    count += digits > 0 ? digits : words.numbers.has(word) ? 1 : 0
  }
  return count
}

function isNumber(word: string | undefined, words: WordList): boolean {
  return word !== undefined && (/^\+?\d+$/u.test(word) || words.numbers.has(word))
}
