import { hasValidLuhn } from './check-digits.ts'
import { isNamedThing } from './number-forms.ts'
import type { PersonalRange } from './personal-ranges.ts'

interface Brand {
  /** First digits, ISO/IEC 7812. */
  readonly starts: RegExp
  readonly lengths: readonly number[]
}

/** What cards begin with and how many digits they have; numbers of other things pass the formula one time in ten. */
const BRANDS: readonly Brand[] = [
  { starts: /^4/, lengths: [13, 16, 19] },
  { starts: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { starts: /^3[47]/, lengths: [15] },
  { starts: /^(?:30[0-5]|3095|3[689])/, lengths: [14, 16, 19] },
  { starts: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { starts: /^(?:6011|64[4-9]|65|62|60[4-8]|8[12])/, lengths: [16, 17, 18, 19] },
  // Debit cards of several countries.
  { starts: /^(?:5018|5020|5038|5[6-8]|6304|67)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { starts: /^(?:220[0-4]|506[01]|508|6363|6362|9792)/, lengths: [16, 17, 18, 19] },
]
const MIN_DIGITS = 12
const MAX_DIGITS = 19
const LEGACY_LENGTH = 13

interface DigitGroup {
  readonly start: number
  readonly end: number
}

/** Card numbers: of a known brand and as long as its cards are, in groups or not, whose check digit is right. */
export function findCards(text: string): PersonalRange[] {
  const groups: DigitGroup[] = [...text.matchAll(/\d+/g)].map(({ index, 0: digits }) => {
    return { start: index, end: index + digits.length }
  })
  const found: PersonalRange[] = []
  for (let first = 0; first < groups.length; first += 1) {
    const last = cardEnd(text, groups, first)
    if (last === null) continue
    found.push({ start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0, category: 'credit_card' })
    first = last
  }
  return found
}

/** Index of the last group of the longest card number that begins with a group. */
function cardEnd(text: string, groups: readonly DigitGroup[], first: number): number | null {
  let digits = ''
  const lengths: number[] = []
  let end: number | null = null
  for (let index = first; index < groups.length; index += 1) {
    const group = groups[index]
    const before = groups[index - 1]
    if (group === undefined || (index === first && isWithinWord(text, group.start))) break
    if (index > first && before !== undefined && !isGroupGap(text, before.end, group.start)) break
    if (digits.length + group.end - group.start > MAX_DIGITS) break
    digits += text.slice(group.start, group.end)
    lengths.push(group.end - group.start)
    if (/[\p{L}_]/u.test(text.charAt(group.end)) || !isCard(digits) || !isGroupedAsCard(digits, lengths)) continue
    // Articles have as many digits as cards once had.
    if (digits.length === LEGACY_LENGTH && lengths.length === 1 && isNamedThing(text, group.start)) continue
    // Seldom ones are that short, parts of longer numbers often.
    if (digits.length <= LEGACY_LENGTH && lengths.length > 1 && isInsideGroups(text, groups, [first, index])) continue
    end = index
  }
  return end
}

/** Whether groups as long as those of cards stand before the first or behind the last. */
function isInsideGroups(
  text: string,
  groups: readonly DigitGroup[],
  [first, last]: readonly [number, number],
): boolean {
  const joined = (before: DigitGroup | undefined, after: DigitGroup | undefined): boolean =>
    before !== undefined && after !== undefined && isGroupGap(text, before.end, after.start)
  const isLong = (group: DigitGroup | undefined): boolean => group !== undefined && group.end - group.start >= 3
  return (
    (isLong(groups[first - 1]) && joined(groups[first - 1], groups[first])) ||
    (isLong(groups[last + 1]) && joined(groups[last], groups[last + 1]))
  )
}

/** Digits amid an id such as `a41f4111…`. */
function isWithinWord(text: string, start: number): boolean {
  return /(?:_|\d\p{L}{1,8})$/u.test(text.slice(Math.max(0, start - 9), start))
}

/** Whether digits are those of a card. */
export function isCard(digits: string): boolean {
  if (digits.length < MIN_DIGITS || !hasValidLuhn(digits)) return false
  return BRANDS.some(({ starts, lengths }) => lengths.includes(digits.length) && starts.test(digits))
}

/** In one piece, in groups of three and more with any rest, or spelled evenly; dates, times and lists of years are not. */
function isGroupedAsCard(digits: string, lengths: readonly number[]): boolean {
  if (lengths.length > 1 && (digits.match(/.{1,4}/g) ?? []).every((group) => /^(?:19|20)\d{2}$/.test(group)))
    return false
  return lengths.slice(0, -1).every((length) => length >= 3) || new Set(lengths).size === 1
}

function isGroupGap(text: string, start: number, end: number): boolean {
  return /^(?:[ .\u00a0\u202f\u2010-\u2013-]| {2}| [-–] )$/.test(text.slice(start, Math.min(end, start + 4)))
}
