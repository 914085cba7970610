import { isOrdinal as isGermanOrdinal } from './languages/german.ts'

/** Words that end in a period which does not end the sentence, in lower case and without that period. */

/** Titles and the like, which are always followed by something. */
const NON_FINAL = new Set(
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

/** End a sentence if a new one seems to start. */
const SOMETIMES_FINAL = new Set(
  'etc inc ltd co corp jr sr bros a.m p.m usw u.s.w ecc enz e.v gmbh s.a s.l ee.uu bzgl al'.split(' '),
)

/** Abbreviations before a number, words elsewhere. */
const BEFORE_NUMBERS = new Set(
  (
    'no nr nos núm num art vol p pp pág pag s fig tel max min ca abs kap sec ch app apt rm ext bl blz hst ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec okt dez mrt'
  ).split(' '),
)

/** Languages that write ordinals with a period. */
const PERIOD_ORDINAL_LANGUAGES = new Set([
  'de',
  'da',
  'nb',
  'no',
  'nn',
  'fi',
  'is',
  'et',
  'lv',
  'cs',
  'sk',
  'sl',
  'hr',
  'sr',
  'hu',
  'tr',
])

/** Context of a word with a period. */
export interface WordContext {
  readonly language: string
  readonly isLineStart: boolean
  /** The previous word. */
  readonly before: string
  /** The text ends after the known part. */
  readonly isAtEnd: boolean
}

/** Start of a word that may become the name of a month. */
const PARTIAL_MONTH = /^\p{Lu}\p{L}{0,11}$/u

/** Whether a period ends a sentence; `following` is the known text after it, `null` if unknown. */
export function endsSentence(
  word: string,
  following: string | null,
  { language, isLineStart, before, isAtEnd }: WordContext,
): boolean | 'undecided' {
  const lower = word.toLowerCase()
  if (/^\d{1,3}$/.test(word)) {
    if (isLineStart) return false
    if (!PERIOD_ORDINAL_LANGUAGES.has(language)) return true
    if (following === null) return 'undecided'
    if (language !== 'de') return !/^\p{L}/u.test(following)
    return !isAtEnd && PARTIAL_MONTH.test(following) ? 'undecided' : !isGermanOrdinal(before, following)
  }
  if (NON_FINAL.has(lower)) return false
  if (/^\p{Lu}$/u.test(word) && word !== 'I') return false
  const acronym = /^(?:\p{L}\.)+\p{L}$/u.test(word)
  if (acronym && word === word.toUpperCase() && !/^[AP]\.M$/.test(word)) return false
  if (!acronym && !SOMETIMES_FINAL.has(lower) && !BEFORE_NUMBERS.has(lower)) return true
  if (following === null) return 'undecided'
  return BEFORE_NUMBERS.has(lower) ? !/^\d/.test(following) : !/^[\p{Ll}\d]/u.test(following)
}
