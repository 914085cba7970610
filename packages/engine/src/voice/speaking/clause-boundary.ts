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
  readonly atEnd: boolean
}

const STOPS = '.!?…'
const PARTS = ',;:'
const WIDE_STOPS = '。！？｡．।॥؟۔։።፧។၊။'
const WIDE_PARTS = '、，；：،؛'
const CLOSERS = /^["'”’»)\]」』）】》]*/
/** Scripts whose words are not set apart: white space is a pause there. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const LOOK_AHEAD = 40
const NOT_OF_WORDS = /[\s"'“‘«([]/

/** Whether a mark stands at a place of a text that begins with a clause, and what it divides; `wait` until more of the text is known. */
export function boundaryAt(text: string, place: number, context: BoundaryContext): Boundary | 'wait' | null {
  const mark = text[place] ?? ''
  if (mark === '\n') return { end: place + 1, strength: 'sentence' }
  if (WIDE_STOPS.includes(mark)) return wideBoundary(text, place, { ...context, strength: 'sentence' })
  if (WIDE_PARTS.includes(mark)) return wideBoundary(text, place, { ...context, strength: 'part' })
  if (STOPS.includes(mark)) return stopBoundary(text, place, context)
  if (PARTS.includes(mark)) return partBoundary(text, place, context)
  if (mark === '—') return { end: place + 1, strength: 'part' }
  if (mark === '–' || mark === '-') return dashBoundary(text, place, context)
  if (mark === ' ' && UNSPACED.test(text[place - 1] ?? '')) return { end: place + 1, strength: 'part' }
  return null
}

function wideBoundary(
  text: string,
  place: number,
  { atEnd, strength }: BoundaryContext & { readonly strength: Boundary['strength'] },
): Boundary | 'wait' | null {
  const next = text[place + 1]
  if (next === undefined && !atEnd) return 'wait'
  // The last mark of several counts, and digits on both sides are a number.
  if (next !== undefined && (WIDE_STOPS + WIDE_PARTS + STOPS).includes(next)) return null
  if (/\p{N}/u.test(text[place - 1] ?? '') && /\p{N}/u.test(next ?? '')) return null
  const end = closed(text, place + 1)
  if (end === text.length && !atEnd) return 'wait'
  // What was quoted is often part of a sentence that goes on.
  const goesOn = end > place + 1 && /^\p{L}/u.test(text.slice(end, end + 2))
  return { end, strength: goesOn ? 'part' : strength }
}

/** Where closing quotes and brackets behind a mark end. */
function closed(text: string, place: number): number {
  return place + (CLOSERS.exec(text.slice(place, place + LOOK_AHEAD))?.[0].length ?? 0)
}

/** The beginning of what follows after white space: `''` at the end of the text, `null` when it has not come yet. */
function following(text: string, end: number, atEnd: boolean): string | null {
  const rest = text.slice(end, end + LOOK_AHEAD)
  const next = rest.trimStart().replace(/^["'“‘«(¿¡[]+/, '')
  if (next === '' && !atEnd && rest.length < LOOK_AHEAD) return null
  return next
}

function stopBoundary(text: string, place: number, context: BoundaryContext): Boundary | 'wait' | null {
  const { atEnd, language } = context
  const next = text[place + 1]
  if (next === undefined && !atEnd) return 'wait'
  if (next !== undefined && STOPS.includes(next)) return null
  const end = closed(text, place + 1)
  if (end === text.length && !atEnd) return 'wait'
  if (end < text.length && !/\s/.test(text[end] ?? '')) return null
  const before = text[place - 1] ?? ''
  if (text[place] === '…' || (text[place] === '.' && before === '.')) {
    const after = following(text, end, atEnd)
    if (after === null) return 'wait'
    return { end, strength: /^\p{Ll}/u.test(after) ? 'part' : 'sentence' }
  }
  // Only behind a word can it belong to an abbreviation or ordinal.
  if (text[place] !== '.' || before === '' || NOT_OF_WORDS.test(before)) return { end, strength: 'sentence' }
  const [word = ''] = /[^\s"'“‘«([]*$/.exec(text.slice(Math.max(0, place - LOOK_AHEAD), place)) ?? []
  const wordStart = place - word.length
  const lineStart =
    wordStart <= 0 || /(?<!\s)[^\S\n]*\n\s*$/.test(text.slice(Math.max(0, wordStart - LOOK_AHEAD), wordStart))
  const wordBefore = lastWord(text.slice(0, wordStart))
  const verdict = endsSentence(word, following(text, end, atEnd), { language, lineStart, before: wordBefore, atEnd })
  if (verdict === 'undecided') return 'wait'
  return verdict ? { end, strength: 'sentence' } : null
}

function partBoundary(text: string, place: number, { atEnd }: BoundaryContext): Boundary | 'wait' | null {
  const end = closed(text, place + 1)
  if (end === text.length) return atEnd ? { end, strength: 'part' } : 'wait'
  if (!/\s/.test(text[end] ?? '')) return null
  if (!/\d/.test(text[place - 1] ?? '')) return { end, strength: 'part' }
  // Digits in groups and dates stay together.
  const after = following(text, end, atEnd)
  if (after === null) return 'wait'
  return /^\d/.test(after) ? null : { end, strength: 'part' }
}

function dashBoundary(text: string, place: number, { atEnd }: BoundaryContext): Boundary | 'wait' | null {
  if (!/\s/.test(text[place - 1] ?? '')) return null
  const next = text[place + 1]
  if (next === undefined) return atEnd ? null : 'wait'
  if (!/\s/.test(next)) return null
  const after = following(text, place + 1, atEnd)
  if (after === null) return 'wait'
  return /^\d/.test(after) ? null : { end: place + 1, strength: 'part' }
}
