/** Replaces characters that the synthesizer does not support. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u02bc]/gu, "'"],
  [/[\u201c\u201d\u00ab\u00bb]/gu, '"'],
  [/[\u2013\u2014]/gu, '-'],
  [/\u2026/gu, '...'],
  [/\u00df/gu, 'ss'],
  [/\u00e6/giu, 'ae'],
  [/\u00f8/giu, 'o'],
]

/** A word of the text and its spelling for the synthesizer, which is '' if the word cannot be spoken. */
export interface SpokenToken {
  readonly text: string
  readonly spoken: string
}

/** Returns the words of a text, in order, each with its spelling for the synthesizer. */
export function splitTokens(text: string): SpokenToken[] {
  return text
    .split(/\s+/u)
    .filter((token) => token !== '')
    .map((token) => ({ text: token, spoken: spellWord(token) }))
}

function spellWord(token: string): string {
  let spelling = token
  for (const [pattern, replacement] of REPLACEMENTS) spelling = spelling.replace(pattern, replacement)
  // Removes accents. Other non-ASCII characters have no pronunciation here.
  spelling = spelling.normalize('NFKD').replace(/[^\x21-\x7e]/g, '')
  return /[A-Za-z0-9$%&+=@#]/.test(spelling) ? spelling : ''
}

/** About ten seconds of speech, which take a few tenths of a second to synthesize. */
const PART_CHARACTERS = 160

/** Splits a text at sentences, clauses or words, so that its first part can be played early. */
export function splitParts(text: string, maxCharacters = PART_CHARACTERS): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > maxCharacters) {
    const head = rest.slice(0, maxCharacters)
    const end =
      findLastEnd(head, /[.!?]\s/g) ?? findLastEnd(head, /[,;:]\s/g) ?? findLastEnd(head, /\s/g) ?? maxCharacters
    parts.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  if (rest !== '') parts.push(rest)
  return parts
}

/** Returns the end of the last match, or null if the part would be too short. */
function findLastEnd(text: string, pattern: RegExp): number | null {
  const end = [...text.matchAll(pattern)].at(-1)
  const place = end === undefined ? 0 : end.index + end[0].length
  return place > text.length / 4 ? place : null
}
