/** Every call id begins so; see `contract/ids.ts`. */
const ID_PREFIX = 'call_'

/** Stands for the prefix of ids in the indexed text. */
const ID_MARK = '\u{e001}\u{e001}'

/** Lies between the texts of one call in the index. */
const SEPARATOR = '\u{1f}'

/** Fewest characters that the index can find. */
const MIN_INDEXED_LENGTH = 3

/** Any of the phrases is looked for, which mean the same in texts and in ids; the text itself in the names of agents. */
export interface IndexedTerm {
  readonly kind: 'indexed'
  readonly text: string
  readonly phrases: readonly string[]
}

/** What a search text asks for. */
export type SearchTerm =
  /** Nothing to look for. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  /** Too short for the index. */
  | { readonly kind: 'short'; readonly text: string }
  | IndexedTerm

/** Decides how a text is looked for. Whether letters are large or small does not matter; blanks around it do not count. */
export function readSearchTerm(given: string): SearchTerm {
  const text = given.trim()
  const folded = text.toLowerCase()
  if (text === '') return { kind: 'everything' }
  if (text.includes(SEPARATOR)) return { kind: 'nothing' }
  if ([...text].length < MIN_INDEXED_LENGTH) return { kind: 'short', text }
  const underscore = folded.indexOf('_')
  const isLast = underscore === folded.length - 1
  const isIdPrefix = underscore >= 0 && !isLast && ID_PREFIX.endsWith(folded.slice(0, underscore + 1))
  const phrases = isIdPrefix ? [text, ID_MARK + folded.slice(underscore + 1)] : [text]
  return { kind: 'indexed', text, phrases }
}

/** Whether the text says nothing about an id, since all of them have it: "Al" is rather somebody's name. */
export function isInEveryId(text: string): boolean {
  return ID_PREFIX.includes(text.toLowerCase())
}
