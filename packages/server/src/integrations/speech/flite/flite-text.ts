/** Replacements for characters that the synthesizer does not support. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u02bc]/gu, "'"],
  [/[\u201c\u201d\u00ab\u00bb]/gu, '"'],
  [/[\u2013\u2014]/gu, '-'],
  [/\u2026/gu, '...'],
  [/\u00df/gu, 'ss'],
  [/\u00e6/giu, 'ae'],
  [/\u00f8/giu, 'o'],
]

/** A word and its spelling for the synthesizer. The spelling is '' if the word cannot be spoken. */
export interface SpokenToken {
  readonly text: string
  readonly spelling: string
}

/** Splits a text into words with their spelling for the synthesizer. */
export function splitTokens(text: string): SpokenToken[] {
  return text
    .split(/\s+/u)
    .filter((token) => token !== '')
    .map((token) => ({ text: token, spelling: spellWord(token) }))
}

function spellWord(token: string): string {
  let spelling = token
  for (const [pattern, replacement] of REPLACEMENTS) spelling = spelling.replace(pattern, replacement)
  // Removes accents, and non-ASCII characters, which the synthesizer cannot pronounce.
  spelling = spelling.normalize('NFKD').replace(/[^\x21-\x7e]/g, '')
  return /[A-Za-z0-9$%&+=@#]/.test(spelling) ? spelling : ''
}

/** About ten seconds of speech, which take a few tenths of a second to synthesize. */
const PART_CHARACTERS = 160

/** Splits a text at sentences, clauses or words, so that its first part can be played early. */
export function splitParts(text: string, maxCharacters = PART_CHARACTERS): string[] {
  const parts: string[] = []
  let remainingText = text.trim()
  while (remainingText.length > maxCharacters) {
    const candidate = remainingText.slice(0, maxCharacters)
    const end =
      findLastEnd(candidate, /[.!?]\s/g) ??
      findLastEnd(candidate, /[,;:]\s/g) ??
      findLastEnd(candidate, /\s/g) ??
      maxCharacters
    parts.push(remainingText.slice(0, end).trim())
    remainingText = remainingText.slice(end).trim()
  }
  if (remainingText !== '') parts.push(remainingText)
  return parts
}

/** Returns the end of the last match, or null if the part would be too short. */
function findLastEnd(text: string, pattern: RegExp): number | null {
  const lastMatch = [...text.matchAll(pattern)].at(-1)
  const position = lastMatch === undefined ? 0 : lastMatch.index + lastMatch[0].length
  return position > text.length / 4 ? position : null
}
