import { isOrdinal as isGermanOrdinal } from './languages/german.ts'
import { getLastWord } from './rules/speech-rule.ts'

/** Finds positions at which a text can be split for natural speech. */

/** A clause boundary. `end` includes closing marks. */
export interface Boundary {
  readonly end: number
  readonly kind: 'sentence' | 'clause'
}

interface BoundaryContext {
  /** Primary language subtag such as `en`, or `''` if unknown. */
  readonly language: string
  /** Whether no more text follows. */
  readonly isAtEnd: boolean
}

const SENTENCE_MARKS = '.!?…'
const CLAUSE_MARKS = ',;:'
const FULL_WIDTH_SENTENCE_MARKS = '。！？｡．।॥؟۔։።፧។၊။'
const FULL_WIDTH_CLAUSE_MARKS = '、，；：،؛'
const CLOSING_MARKS = /^["'”’»)\]」』）】》]*/
/** Scripts without spaces between words, where whitespace marks a pause. */
const UNSPACED_SCRIPTS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const FIRST_UNSPACED_CHARACTER = '\u0E00'
const LOOKAHEAD = 40
const NON_WORD = /[\s"'“‘«([]/

type BoundaryFinder = (text: string, position: number, context: BoundaryContext) => Boundary | 'wait' | null

/** Finders by mark, in a map because most characters have none. */
const FINDERS: ReadonlyMap<string, BoundaryFinder> = new Map<string, BoundaryFinder>([
  ['\n', (_text, position) => ({ end: position + 1, kind: 'sentence' })],
  ...[...FULL_WIDTH_SENTENCE_MARKS].map((mark): [string, BoundaryFinder] => [mark, findFullWidthSentence]),
  ...[...FULL_WIDTH_CLAUSE_MARKS].map((mark): [string, BoundaryFinder] => [mark, findFullWidthClause]),
  ...[...SENTENCE_MARKS].map((mark): [string, BoundaryFinder] => [mark, findSentenceBoundary]),
  ...[...CLAUSE_MARKS].map((mark): [string, BoundaryFinder] => [mark, findClauseMarkBoundary]),
  ['—', (_text, position) => ({ end: position + 1, kind: 'clause' })],
  ['–', findDashBoundary],
  ['-', findDashBoundary],
  [' ', findUnspacedBoundary],
])

/** Returns the boundary at a position, `null` if there is none, or `wait` if more text is needed. */
export function findBoundaryAt(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  return FINDERS.get(text[position] ?? '')?.(text, position, context) ?? null
}

function findUnspacedBoundary(text: string, position: number): Boundary | null {
  const previousCharacter = text[position - 1] ?? ''
  if (previousCharacter < FIRST_UNSPACED_CHARACTER || !UNSPACED_SCRIPTS.test(previousCharacter)) return null
  return { end: position + 1, kind: 'clause' }
}

function findFullWidthSentence(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  return findFullWidthBoundary(text, position, { ...context, kind: 'sentence' })
}

function findFullWidthClause(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  return findFullWidthBoundary(text, position, { ...context, kind: 'clause' })
}

function findFullWidthBoundary(
  text: string,
  position: number,
  { isAtEnd, kind }: BoundaryContext & { readonly kind: Boundary['kind'] },
): Boundary | 'wait' | null {
  const nextCharacter = text[position + 1]
  if (nextCharacter === undefined && !isAtEnd) return 'wait'
  // Only the last of several marks counts. A mark between digits belongs to a number.
  if (
    nextCharacter !== undefined &&
    (FULL_WIDTH_SENTENCE_MARKS + FULL_WIDTH_CLAUSE_MARKS + SENTENCE_MARKS).includes(nextCharacter)
  )
    return null
  if (/\p{N}/u.test(text[position - 1] ?? '') && /\p{N}/u.test(nextCharacter ?? '')) return null
  const end = findEndOfClosingMarks(text, position + 1)
  if (end === text.length && !isAtEnd) return 'wait'
  // A quote is often part of a longer sentence.
  const isContinued = end > position + 1 && /^\p{L}/u.test(text.slice(end, end + 2))
  return { end, kind: isContinued ? 'clause' : kind }
}

function findEndOfClosingMarks(text: string, position: number): number {
  return position + (CLOSING_MARKS.exec(text.slice(position, position + LOOKAHEAD))?.[0].length ?? 0)
}

/** Returns the text after whitespace and opening marks, `''` at the end, or `null` if that text has not arrived. */
function getFollowingText(text: string, end: number, isAtEnd: boolean): string | null {
  const lookahead = text.slice(end, end + LOOKAHEAD)
  const followingText = lookahead.trimStart().replace(/^["'“‘«(¿¡[]+/, '')
  if (followingText === '' && !isAtEnd && lookahead.length < LOOKAHEAD) return null
  return followingText
}

function findSentenceBoundary(text: string, position: number, context: BoundaryContext): Boundary | 'wait' | null {
  const { isAtEnd, language } = context
  const nextCharacter = text[position + 1]
  if (nextCharacter === undefined && !isAtEnd) return 'wait'
  if (nextCharacter !== undefined && SENTENCE_MARKS.includes(nextCharacter)) return null
  const end = findEndOfClosingMarks(text, position + 1)
  if (end === text.length && !isAtEnd) return 'wait'
  if (end < text.length && !/\s/.test(text[end] ?? '')) return null
  const previousCharacter = text[position - 1] ?? ''
  if (text[position] === '…' || (text[position] === '.' && previousCharacter === '.')) {
    const followingText = getFollowingText(text, end, isAtEnd)
    if (followingText === null) return 'wait'
    return { end, kind: /^\p{Ll}/u.test(followingText) ? 'clause' : 'sentence' }
  }
  // A period can belong to an abbreviation or ordinal only if it follows a word.
  if (text[position] !== '.' || previousCharacter === '' || NON_WORD.test(previousCharacter))
    return { end, kind: 'sentence' }
  const [word = ''] = /[^\s"'“‘«([]*$/.exec(text.slice(Math.max(0, position - LOOKAHEAD), position)) ?? []
  const wordStart = position - word.length
  const precedingText = text.slice(Math.max(0, wordStart - LOOKAHEAD), wordStart)
  const isSentenceEnd = endsSentence(word, getFollowingText(text, end, isAtEnd), { language, precedingText, isAtEnd })
  if (isSentenceEnd === 'undecided') return 'wait'
  return isSentenceEnd ? { end, kind: 'sentence' } : null
}

function findClauseMarkBoundary(
  text: string,
  position: number,
  { isAtEnd }: BoundaryContext,
): Boundary | 'wait' | null {
  const end = findEndOfClosingMarks(text, position + 1)
  if (end === text.length) return isAtEnd ? { end, kind: 'clause' } : 'wait'
  if (!/\s/.test(text[end] ?? '')) return null
  if (!/\d/.test(text[position - 1] ?? '')) return { end, kind: 'clause' }
  // Groups of digits and dates stay together.
  const followingText = getFollowingText(text, end, isAtEnd)
  if (followingText === null) return 'wait'
  return /^\d/.test(followingText) ? null : { end, kind: 'clause' }
}

function findDashBoundary(text: string, position: number, { isAtEnd }: BoundaryContext): Boundary | 'wait' | null {
  if (!/\s/.test(text[position - 1] ?? '')) return null
  const nextCharacter = text[position + 1]
  if (nextCharacter === undefined) return isAtEnd ? null : 'wait'
  if (!/\s/.test(nextCharacter)) return null
  const followingText = getFollowingText(text, position + 1, isAtEnd)
  if (followingText === null) return 'wait'
  return /^\d/.test(followingText) ? null : { end: position + 1, kind: 'clause' }
}

/** Lowercase abbreviations, without the final period. */

/** Titles and other abbreviations that never end a sentence. */
const NON_FINAL_ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st mt rev hon gen col capt lt sgt sen rep gov e.g i.e eg ie cf vs approx dept est ' +
    'z.b d.h u.a v.a z.t i.d.r o.ä bzw ggf evtl inkl exkl zzgl bspw vgl sog hr fr str ' +
    'm mm mme mlle me p.ex env ' +
    'sr sra srta ud uds d dña p.ej ' +
    'sig sig.ra dott dott.ssa ing avv ' +
    'dra exa exmo ' +
    'dhr mevr mw bijv d.w.z o.a t.a.v i.p.v'
  ).split(' '),
)

/** Abbreviations that end a sentence unless a lowercase letter or a digit follows. */
const SENTENCE_FINAL_ABBREVIATIONS = new Set(
  'etc inc ltd co corp jr sr bros a.m p.m usw u.s.w ecc enz e.v gmbh s.a s.l ee.uu bzgl al'.split(' '),
)

/** Words that are abbreviations only before a number. */
const NUMBER_ABBREVIATIONS = new Set(
  (
    'no nr nos núm num art vol p pp pág pag s fig tel max min ca abs kap sec ch app apt rm ext bl blz hst ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec okt dez mrt'
  ).split(' '),
)

/** Languages that write ordinals with a period. */
const PERIOD_ORDINAL_LANGUAGES = new Set('de da nb no nn fi is et lv cs sk sl hr sr hu tr'.split(' '))

interface WordContext {
  readonly language: string
  /** The last characters before the word. */
  readonly precedingText: string
  /** Whether no more text follows. */
  readonly isAtEnd: boolean
}

/** Start of a word that may become a month name. */
const PARTIAL_MONTH = /^\p{Lu}\p{L}{0,11}$/u

/** Whether a period ends a sentence. `followingText` is the text after the period, or `null` if it has not arrived. */
function endsSentence(
  word: string,
  followingText: string | null,
  { language, precedingText, isAtEnd }: WordContext,
): boolean | 'undecided' {
  const lowerWord = word.toLowerCase()
  if (/^\d{1,3}$/.test(word)) {
    if (precedingText === '' || /(?<!\s)[^\S\n]*\n\s*$/.test(precedingText)) return false
    if (!PERIOD_ORDINAL_LANGUAGES.has(language)) return true
    if (followingText === null) return 'undecided'
    if (language !== 'de') return !/^\p{L}/u.test(followingText)
    return !isAtEnd && PARTIAL_MONTH.test(followingText)
      ? 'undecided'
      : !isGermanOrdinal(getLastWord(precedingText), followingText)
  }
  if (NON_FINAL_ABBREVIATIONS.has(lowerWord)) return false
  if (/^\p{Lu}$/u.test(word) && word !== 'I') return false
  const isAcronym = /^(?:\p{L}\.)+\p{L}$/u.test(word)
  if (isAcronym && word === word.toUpperCase() && !/^[AP]\.M$/.test(word)) return false
  if (!isAcronym && !SENTENCE_FINAL_ABBREVIATIONS.has(lowerWord) && !NUMBER_ABBREVIATIONS.has(lowerWord)) return true
  if (followingText === null) return 'undecided'
  return NUMBER_ABBREVIATIONS.has(lowerWord) ? !/^\d/.test(followingText) : !/^[\p{Ll}\d]/u.test(followingText)
}
