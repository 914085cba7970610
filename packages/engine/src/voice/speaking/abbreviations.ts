import { isOrdinal as isGermanOrdinal } from './languages/german.ts'

/** Words that end in a full stop which ends no sentence, without that stop and in lower case. */

/** Titles and the like: something always follows. */
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

/** End a sentence where a new one seems to begin. */
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

/** Languages that write ordinal numbers with a full stop. */
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

/** Where a word with a full stop stands. */
export interface WordContext {
  readonly language: string
  readonly isLineStart: boolean
  /** The word in front of it. */
  readonly before: string
  /** Nothing comes behind what is known to follow. */
  readonly isAtEnd: boolean
}

/** The beginning of a word that may become the name of a month. */
const PARTIAL_MONTH = /^\p{Lu}\p{L}{0,11}$/u

/** Whether a full stop behind a word ends a sentence; `following`: what comes next, as far as it is known; `null` when nothing is. */
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
