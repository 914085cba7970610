import { endsSentence } from './abbreviations.ts'
import { lastWord } from './rules/speech-rule.ts'

/** Where a text can be cut so that each piece is spoken well. */

/** `end`: where the piece ends, its closing marks included. A sentence is over, or only a part of one. */
export interface Boundary {
  readonly end: number
  readonly strength: 'sentence' | 'part'
}

export interface BoundaryContext {
  /** The first part of a language tag; `''` when unknown. */
  readonly language: string
  /** Nothing follows the text. */
  readonly isAtEnd: boolean
}

const SENTENCE_MARKS = '.!?…'
const CLAUSE_MARKS = ',;:'
const FULL_WIDTH_SENTENCE_MARKS = '。！？｡．।॥؟۔։።፧។၊။'
const FULL_WIDTH_CLAUSE_MARKS = '、，；：،؛'
const CLOSING_MARKS = /^["'”’»)\]」』）】》]*/
/** Scripts whose words are not set apart: white space is a pause there. */
const UNSPACED_SCRIPTS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const LOOKAHEAD = 40
const NON_WORD = /[\s"'“‘«([]/

/** Whether a mark stands at a place of a text that begins with a clause, and what it divides; `wait` until more of the text is known. */
export function boundaryAt(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  const mark = text[position] ?? ''
  if (mark === '\n') return { end: position + 1, strength: 'sentence' }
  if (FULL_WIDTH_SENTENCE_MARKS.includes(mark))
    return fullWidthBoundary(text, position, { ...context, strength: 'sentence' })
  if (FULL_WIDTH_CLAUSE_MARKS.includes(mark)) return fullWidthBoundary(text, position, { ...context, strength: 'part' })
  if (SENTENCE_MARKS.includes(mark)) return sentenceBoundary(text, position, context)
  if (CLAUSE_MARKS.includes(mark)) return clauseMarkBoundary(text, position, context)
  if (mark === '—') return { end: position + 1, strength: 'part' }
  if (mark === '–' || mark === '-') return dashBoundary(text, position, context)
  if (mark === ' ' && UNSPACED_SCRIPTS.test(text[position - 1] ?? '')) return { end: position + 1, strength: 'part' }
  return null
}

function fullWidthBoundary(
  text: string,
  position: number,
  { isAtEnd, strength }: BoundaryContext & { readonly strength: Boundary['strength'] },
): Boundary | 'wait' | null {
  const next = text[position + 1]
  if (next === undefined && !isAtEnd) return 'wait'
  // The last mark of several counts, and digits on both sides are a number.
  if (next !== undefined && (FULL_WIDTH_SENTENCE_MARKS + FULL_WIDTH_CLAUSE_MARKS + SENTENCE_MARKS).includes(next))
    return null
  if (/\p{N}/u.test(text[position - 1] ?? '') && /\p{N}/u.test(next ?? '')) return null
  const end = endOfClosingMarks(text, position + 1)
  if (end === text.length && !isAtEnd) return 'wait'
  // What was quoted is often part of a sentence that goes on.
  const continues = end > position + 1 && /^\p{L}/u.test(text.slice(end, end + 2))
  return { end, strength: continues ? 'part' : strength }
}

/** Where closing quotes and brackets behind a mark end. */
function endOfClosingMarks(text: string, position: number): number {
  return position + (CLOSING_MARKS.exec(text.slice(position, position + LOOKAHEAD))?.[0].length ?? 0)
}

/** The beginning of what follows after white space: `''` at the end of the text, `null` when it has not come yet. */
function following(text: string, end: number, isAtEnd: boolean): string | null {
  const rest = text.slice(end, end + LOOKAHEAD)
  const next = rest.trimStart().replace(/^["'“‘«(¿¡[]+/, '')
  if (next === '' && !isAtEnd && rest.length < LOOKAHEAD) return null
  return next
}

function sentenceBoundary(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  const { isAtEnd, language } = context
  const next = text[position + 1]
  if (next === undefined && !isAtEnd) return 'wait'
  if (next !== undefined && SENTENCE_MARKS.includes(next)) return null
  const end = endOfClosingMarks(text, position + 1)
  if (end === text.length && !isAtEnd) return 'wait'
  if (end < text.length && !/\s/.test(text[end] ?? '')) return null
  const before = text[position - 1] ?? ''
  if (text[position] === '…' || (text[position] === '.' && before === '.')) {
    const after = following(text, end, isAtEnd)
    if (after === null) return 'wait'
    return { end, strength: /^\p{Ll}/u.test(after) ? 'part' : 'sentence' }
  }
  // Only behind a word can it belong to an abbreviation or ordinal.
  if (text[position] !== '.' || before === '' || NON_WORD.test(before)) return { end, strength: 'sentence' }
  const [word = ''] = /[^\s"'“‘«([]*$/.exec(text.slice(Math.max(0, position - LOOKAHEAD), position)) ?? []
  const wordStart = position - word.length
  const isLineStart =
    wordStart <= 0 || /(?<!\s)[^\S\n]*\n\s*$/.test(text.slice(Math.max(0, wordStart - LOOKAHEAD), wordStart))
  const wordBefore = lastWord(text.slice(0, wordStart))
  const verdict = endsSentence(word, following(text, end, isAtEnd), {
    language,
    isLineStart,
    before: wordBefore,
    isAtEnd,
  })
  if (verdict === 'undecided') return 'wait'
  return verdict ? { end, strength: 'sentence' } : null
}

function clauseMarkBoundary(text: string, position: number, { isAtEnd }: BoundaryContext): Boundary | 'wait' | null {
  const end = endOfClosingMarks(text, position + 1)
  if (end === text.length) return isAtEnd ? { end, strength: 'part' } : 'wait'
  if (!/\s/.test(text[end] ?? '')) return null
  if (!/\d/.test(text[position - 1] ?? '')) return { end, strength: 'part' }
  // Digits in groups and dates stay together.
  const after = following(text, end, isAtEnd)
  if (after === null) return 'wait'
  return /^\d/.test(after) ? null : { end, strength: 'part' }
}

function dashBoundary(text: string, position: number, { isAtEnd }: BoundaryContext): Boundary | 'wait' | null {
  if (!/\s/.test(text[position - 1] ?? '')) return null
  const next = text[position + 1]
  if (next === undefined) return isAtEnd ? null : 'wait'
  if (!/\s/.test(next)) return null
  const after = following(text, position + 1, isAtEnd)
  if (after === null) return 'wait'
  return /^\d/.test(after) ? null : { end: position + 1, strength: 'part' }
}
