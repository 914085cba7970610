import type { PiiCategory } from '@parley/contract/after-conversation'

const EMAIL_DOMAIN = /[\p{L}\p{N}](?:[\p{L}\p{N}-]*)(?:\.[\p{L}\p{N}-]+)+/uy
const LOCAL_PART_CHARACTER = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]/u
const LOCAL_PART_START = /[\p{L}\p{N}\p{M}_%+]/u
const AT_WORD = '(?:at|ät|\\(at\\)|\\[at\\]|klammeraffe|arobase|arrobas?|chiocciola|apenstaartje)'
const DOT_WORD = '(?:dot|punkt|point|punto|punt)'
const SPOKEN_EMAIL = new RegExp(
  `(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}][\\p{L}\\p{N}_-]{0,40}(?:(?:\\.|\\s(?:${DOT_WORD}|underscore|dash|minus|unterstrich|bindestrich)\\s)[\\p{L}\\p{N}]{1,40}){0,3}\\s${AT_WORD}\\s[\\p{L}\\p{N}-]{1,40}(?:(?:\\s${DOT_WORD}\\s|\\.)\\p{L}{2,12}){1,3}(?![\\p{L}\\p{N}])`,
  'giu',
)

/** Finds email addresses, written or spelled out. */
export function findEmails(text: string): PersonalRange[] {
  const ranges: PersonalRange[] = []
  let searchStart = 0
  for (let atIndex = text.indexOf('@'); atIndex >= 0; atIndex = text.indexOf('@', atIndex + 1)) {
    EMAIL_DOMAIN.lastIndex = atIndex + 1
    const domain = EMAIL_DOMAIN.exec(text)?.[0].replace(/(?<![.-])[.-]+$/, '') ?? ''
    const start = findLocalPartStart(text, atIndex, searchStart)
    if (start < atIndex && /\.[\p{L}\p{N}]/u.test(domain)) {
      const end = atIndex + 1 + domain.length
      ranges.push({ start, end, category: 'email' })
      searchStart = end
    }
  }
  return [...ranges, ...findRanges(text, SPOKEN_EMAIL, 'email')]
}

/** Returns the start of the local part, without leading quotes and brackets. It is never before `searchStart`. */
function findLocalPartStart(text: string, atIndex: number, searchStart: number): number {
  let start = atIndex
  while (start > searchStart && isLocalPartCharacter(text, start - 1)) start -= 1
  let trimmedStart = start
  while (trimmedStart < atIndex && !isLocalPartStart(text, trimmedStart)) trimmedStart += 1
  return trimmedStart === atIndex ? start : trimmedStart
}

/** Whether the code unit is half of a surrogate pair. Such units count as letters because some scripts require them. */
const isSurrogate = (codeUnit: string): boolean => /[\ud800-\udfff]/.test(codeUnit)
const isLocalPartCharacter = (text: string, index: number): boolean =>
  LOCAL_PART_CHARACTER.test(text.charAt(index)) || isSurrogate(text.charAt(index))
const isLocalPartStart = (text: string, index: number): boolean =>
  LOCAL_PART_START.test(text.charAt(index)) || isSurrogate(text.charAt(index))

const STREET_WORD =
  '(?:street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|drive|dr|court|ct|square|sq|place|pl|terrace|way|close|crescent|highway|hwy|parkway|pkwy)'
const PLACE_SUFFIX =
  '(?:,?\\s(?:apt|apartment|suite|unit|floor|flat|#)\\.?\\s?[\\p{L}\\p{N}-]{1,8})?(?:,\\s?\\p{Lu}[\\p{L}.-]{1,30}(?![\\p{L}\\d])(?:\\s\\p{Lu}[\\p{L}.-]{0,30}(?![\\p{L}\\d])){0,3}){0,2}(?:,?\\s(?:\\p{Lu}{2}\\s)?\\d{4,5}(?:-\\d{4})?(?:\\s\\p{Lu}\\p{L}{1,30})?)?(?:,?\\s[A-Z]{1,2}\\d[A-Z\\d]?\\s\\d[A-Z]{2}(?![\\p{L}\\d]))?'
const EUROPEAN_PLACE = '(?:,?\\s(?:\\d{5}|\\d{4}(?:\\s?[A-Z]{2})?)\\s\\p{Lu}[\\p{L}-]{1,30})?'
const STREET_PATTERNS = [
  // 12b Old Mill Road, Apt 3, Springfield, OR 97477
  new RegExp(
    `(?<![\\p{L}\\p{N}])\\d{1,5}[a-zA-Z]?\\s(?:\\p{Lu}[\\p{L}'’.-]{0,30}\\s){1,4}(?:${buildBothCasesPattern(STREET_WORD)})(?![\\p{L}])\\.?${PLACE_SUFFIX}`,
    'gu',
  ),
  // Lindenstraße 12, 10969 Berlin; Kerkstraat 5-2, 1017 GA Amsterdam
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:\\p{L}[\\p{L}-]{1,40}(?:straße|strasse|straat)|\\p{Lu}[\\p{L}-]{1,40}(?:str\\.|gasse|weg|platz|allee|ufer|ring|damm|laan|plein|gracht|kade|singel|dijk)|\\p{Lu}[\\p{L}-]{1,30}\\s(?:Straße|Strasse|Str\\.|Weg|Platz|Allee|Ring|Damm|Ufer))\\s\\d{1,4}(?:\\s?[a-z])?(?:\\s?[-/]\\s?\\d{1,4})?(?![\\p{L}\\p{N}])${EUROPEAN_PLACE}`,
    'gu',
  ),
  // Am Alten Markt 5, 50667 Köln: any words before a number, followed by a postal code and town
  /(?<![\p{L}\p{N}])\p{Lu}[\p{L}.-]{1,30}(?:\s\p{Lu}[\p{L}.-]{1,30}){0,3}\s\d{1,4}\s?[a-z]?,\s(?:[A-Z]{1,2}-)?\d{5}\s\p{Lu}[\p{L}-]{2,30}/gu,
  // Calle Mayor 12, 28013 Madrid; via Roma 5
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:[Cc]alle|C/|[Aa]venida|Avda\\.|[Pp]aseo|[Pp]laza|Via|via|[Vv]iale|[Pp]iazza|[Cc]orso|Largo)\\s(?:(?:de|del|della|dei|di|la|las|los|el|San|Santa)\\s){0,3}\\p{Lu}[\\p{L}'’.-]{0,30}(?:\\s\\p{L}[\\p{L}'’.-]{0,30}){0,3},?\\s(?:n[.º°]\\s?)?\\d{1,4}(?:\\s?[a-z])?(?![\\p{L}\\p{N}])${EUROPEAN_PLACE}`,
    'gu',
  ),
  // 12 rue de la Paix, 75002 Paris
  /(?<![\p{L}\p{N}])\d{1,4}(?:\s?(?:bis|ter))?,?\s(?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|route|calle|via|viale|piazza)\s(?:\p{L}[\p{L}'’-]{0,30}\s?){1,5}(?:,?\s\d{5}\s\p{Lu}[\p{L}-]{1,30})?/gu,
]

/** Finds street addresses. */
export function findStreets(text: string): PersonalRange[] {
  return STREET_PATTERNS.flatMap((pattern) =>
    findRanges(text, pattern, 'address').map((range) => ({ ...range, end: trimRangeEnd(text, range) })),
  )
}

function trimRangeEnd(text: string, { start, end }: PersonalRange): number {
  return start + text.slice(start, end).trimEnd().length
}

/** Builds an alternation whose first letters match in both cases within a case-sensitive pattern. */
function buildBothCasesPattern(words: string): string {
  return words.replace(/(?<=[(:|])([a-z])/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

/** A range of personal data in a text, from `start` (inclusive) to `end` (exclusive). */
export interface PersonalRange {
  readonly start: number
  readonly end: number
  readonly category: PiiCategory
}

export function formatPlaceholder(category: PiiCategory): string {
  return `[${category}]`
}

/** Replaces ranges with placeholders. Overlapping ranges merge under the category that comes first in `ranges`. */
export function replaceRanges(text: string, ranges: readonly PersonalRange[]): string {
  if (ranges.length === 0) return text
  let replacedText = ''
  let position = 0
  for (const { start, end, category } of mergeRanges(ranges)) {
    replacedText += text.slice(position, start) + formatPlaceholder(category)
    position = end
  }
  return replacedText + text.slice(position)
}

/** Sorts ranges. Overlapping ranges merge under the category that comes first in `ranges`. */
export function mergeRanges(ranges: readonly PersonalRange[]): PersonalRange[] {
  const rankedRanges = ranges
    .map((range, rank) => ({ ...range, rank }))
    .sort((a, b) => a.start - b.start || a.rank - b.rank)
  const mergedRanges: (PersonalRange & { rank: number })[] = []
  for (const range of rankedRanges) {
    const previousRange = mergedRanges.at(-1)
    if (previousRange === undefined || range.start >= previousRange.end) mergedRanges.push(range)
    else {
      const precedingRange = range.rank < previousRange.rank ? range : previousRange
      mergedRanges[mergedRanges.length - 1] = {
        ...precedingRange,
        start: previousRange.start,
        end: Math.max(previousRange.end, range.end),
      }
    }
  }
  return mergedRanges
}

/** Returns all matches of a global pattern. If the pattern has a group, returns only that group, which must end the match. */
export function findRanges(text: string, pattern: RegExp, category: PiiCategory): PersonalRange[] {
  return [...text.matchAll(pattern)].map((match) => {
    const end = match.index + match[0].length
    return { start: end - (match[1] ?? match[0]).length, end, category }
  })
}
