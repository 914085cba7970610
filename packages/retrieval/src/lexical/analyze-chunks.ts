import { detectLanguage } from './detect-language.ts'
import { foldMarks, lowerCase } from './fold-text.ts'
import { hashText } from './hash-text.ts'
import { stemWord } from './stem-word.ts'
import { type Token, type TokenizedText, tokenize } from './tokenize.ts'

/** A passage as it is handed to the index. */
export interface IndexedChunk {
  /** Within its source. */
  readonly position: number
  /** Of its source. */
  readonly title: string
  /** Outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** Where a term stands in a passage. */
export interface Occurrence {
  count: number
  inHeadings: boolean
  inTitle: boolean
}

/** Words in the text, the headings and the title of a passage. */
export type FieldLengths = readonly [text: number, headings: number, title: number]

/** A passage as terms. */
export interface AnalyzedChunk {
  readonly position: number
  readonly lengths: FieldLengths
  /** Identifies passages with equal title, headings and text. */
  readonly hash: readonly [low: number, high: number]
  readonly occurrences: ReadonlyMap<string, Occurrence>
}

/** The passages of a source as terms. */
export interface AnalyzedSource {
  readonly chunks: readonly AnalyzedChunk[]
  /** Languages that words were stemmed in, sorted. */
  readonly languages: readonly string[]
  /** For words that are indexed under another form: their forms, without marks. */
  readonly aliases: ReadonlyMap<string, ReadonlySet<string>>
}

/** Tables and lists that have no function words at all are read as English, whose stemmer does least harm to others. */
const FALLBACK_LANGUAGE = 'en'

/** Tells languages, stems words and counts them. */
export function analyzeChunks(chunks: readonly IndexedChunk[]): AnalyzedSource {
  const titles = new Map<string, TokenizedText>()
  const tokenized = chunks.map((chunk) => ({
    chunk,
    title: remembered(titles, chunk.title, tokenize),
    headings: tokenize(chunk.headings.join('\n')),
    text: tokenize(chunk.text),
  }))
  const detected = tokenized.map(({ text }) => detectLanguage(foldedWords(text)))
  const dominant =
    findMostFrequent(detected) ?? detectLanguage(tokenized.flatMap(({ headings }) => [...foldedWords(headings)]))
  const stemCache = new StemCache()
  const languages = new Set<string>()
  const analyzed = tokenized.map(({ chunk, title, headings, text }, at) => {
    const language = detected[at] ?? dominant ?? FALLBACK_LANGUAGE
    languages.add(language)
    const occurrences = new Map<string, Occurrence>()
    for (const term of stemCache.termsOf(text, language)) occurrenceOf(occurrences, term).count++
    for (const term of stemCache.termsOf(headings, language)) occurrenceOf(occurrences, term).inHeadings = true
    for (const term of stemCache.termsOf(title, language)) occurrenceOf(occurrences, term).inTitle = true
    const lengths = [text.tokens.length, headings.tokens.length, title.tokens.length] as const
    return { position: chunk.position, lengths, hash: hashOf(chunk), occurrences }
  })
  return { chunks: analyzed, languages: [...languages].sort(), aliases: stemCache.aliases }
}

function* foldedWords(text: TokenizedText): Iterable<string> {
  for (const token of text.tokens) if (token.kind === 'word') yield foldMarks(token.text)
}

function findMostFrequent(languages: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>()
  for (const language of languages) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1)
  let best: string | null = null
  for (const [language, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = language
  return best
}

function hashOf({ title, headings, text }: IndexedChunk): readonly [number, number] {
  return hashText(
    lowerCase([title, ...headings, text].join('\n'))
      .replace(/\s+/gu, ' ')
      .trim(),
  )
}

function occurrenceOf(occurrences: Map<string, Occurrence>, term: string): Occurrence {
  return remembered(occurrences, term, () => ({ count: 0, inHeadings: false, inTitle: false }))
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const value = known.get(key)
  if (value !== undefined) return value
  const made = make(key)
  known.set(key, made)
  return made
}

/** The stems of a source's words: each is found once. */
class StemCache {
  readonly aliases = new Map<string, Set<string>>()
  readonly #stemCache = new Map<string, Map<string, string>>()

  termsOf(text: TokenizedText, language: string): string[] {
    const stemCache = remembered(this.#stemCache, language, () => new Map<string, string>())
    return [...text.tokens, ...text.joined].map((token) => this.#termOf(token, language, stemCache))
  }

  #termOf(token: Token, language: string, stemCache: Map<string, string>): string {
    if (token.kind !== 'word') return token.text
    return remembered(stemCache, token.text, (word) => {
      const term = stemWord(language, word)
      const folded = foldMarks(word)
      if (folded !== term) remembered(this.aliases, folded, () => new Set<string>()).add(term)
      return term
    })
  }
}
