/** Words that end in a full stop which ends no sentence, without that stop and in lower case. */

/** Titles and the like: something always follows. */
const FOLLOWED = new Set(
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
const OFTEN_LAST = new Set(
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
const STOP_ORDINALS = new Set([
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

/** Whether a full stop behind a word ends a sentence; `undecided` until it is known what follows. */
export function endsSentence(
  word: string,
  following: string | 'unknown',
  { language, lineStart }: { readonly language: string; readonly lineStart: boolean },
): boolean | 'undecided' {
  const lower = word.toLowerCase()
  if (/^\d{1,3}$/.test(word)) {
    if (lineStart) return false
    if (!STOP_ORDINALS.has(language)) return true
    return following === 'unknown' ? 'undecided' : !/^\p{L}/u.test(following)
  }
  if (FOLLOWED.has(lower)) return false
  if (/^\p{Lu}$/u.test(word) && word !== 'I') return false
  const acronym = /^(?:\p{L}\.)+\p{L}$/u.test(word)
  if (acronym && word === word.toUpperCase() && !/^[AP]\.M$/.test(word)) return false
  if (!acronym && !OFTEN_LAST.has(lower) && !BEFORE_NUMBERS.has(lower)) return true
  if (following === 'unknown') return 'undecided'
  return BEFORE_NUMBERS.has(lower) ? !/^\d/.test(following) : !/^[\p{Ll}\d]/u.test(following)
}
