import { detectLanguage } from './detect-language.ts'
import { foldDiacritics, lowerCase } from './fold-text.ts'
import { hashText } from './segment-format.ts'
import { stemWord } from './stem-word.ts'
import { type Token, tokenize } from './tokenize.ts'

/** A passage before indexing. */
export interface IndexedChunk {
  readonly position: number
  /** Title of the source. */
  readonly title: string
  readonly headings: readonly string[]
  readonly text: string
}

/** Occurrences of a term in a passage. */
export interface Occurrence {
  count: number
  inHeadings: boolean
  inTitle: boolean
}

/** Word counts of text, headings and title. */
export type FieldLengths = readonly [text: number, headings: number, title: number]

/** The terms of a passage. */
export interface AnalyzedChunk {
  readonly position: number
  readonly lengths: FieldLengths
  /** Equal for passages with equal title, headings and text. */
  readonly hash: readonly [low: number, high: number]
  readonly occurrences: ReadonlyMap<string, Occurrence>
}

/** The terms of all passages of a source. */
export interface AnalyzedSource {
  readonly chunks: readonly AnalyzedChunk[]
  /** Languages used for stemming, sorted. */
  readonly languages: readonly string[]
  /** Maps words without diacritics to the terms under which they are indexed, if the two differ. */
  readonly aliases: ReadonlyMap<string, ReadonlySet<string>>
}

/** Used if no language is detected. The English stemmer changes words of other languages the least. */
const FALLBACK_LANGUAGE = 'en'

/** Detects languages, stems words and counts terms. */
export function analyzeChunks(chunks: readonly IndexedChunk[]): AnalyzedSource {
  const titles = new Map<string, readonly Token[]>()
  const tokenized = chunks.map((chunk) => ({
    chunk,
    title: getOrCompute(titles, chunk.title, tokenize),
    headings: tokenize(chunk.headings.join('\n')),
    text: tokenize(chunk.text),
  }))
  const detectedLanguages = tokenized.map(({ text }) => detectLanguage(foldWords(text)))
  const dominantLanguage =
    findMostFrequent(detectedLanguages) ?? detectLanguage(tokenized.flatMap(({ headings }) => [...foldWords(headings)]))
  const stemCache = new StemCache()
  const languages = new Set<string>()
  const analyzedChunks = tokenized.map(({ chunk, title, headings, text }, index) => {
    const language = detectedLanguages[index] ?? dominantLanguage ?? FALLBACK_LANGUAGE
    languages.add(language)
    const occurrences = new Map<string, Occurrence>()
    for (const term of stemCache.findTerms(text, language)) getOccurrence(occurrences, term).count++
    for (const term of stemCache.findTerms(headings, language)) getOccurrence(occurrences, term).inHeadings = true
    for (const term of stemCache.findTerms(title, language)) getOccurrence(occurrences, term).inTitle = true
    const lengths = [text.length, headings.length, title.length] as const
    return { position: chunk.position, lengths, hash: hashChunk(chunk), occurrences }
  })
  return { chunks: analyzedChunks, languages: [...languages].sort(), aliases: stemCache.aliases }
}

function* foldWords(tokens: readonly Token[]): Iterable<string> {
  for (const token of tokens) if (token.kind === 'word') yield foldDiacritics(token.text)
}

function findMostFrequent(languages: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>()
  for (const language of languages) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1)
  let bestLanguage: string | null = null
  for (const [language, count] of counts)
    if (bestLanguage === null || count > (counts.get(bestLanguage) ?? 0)) bestLanguage = language
  return bestLanguage
}

function hashChunk({ title, headings, text }: IndexedChunk): readonly [number, number] {
  return hashText(
    lowerCase([title, ...headings, text].join('\n'))
      .replace(/\s+/gu, ' ')
      .trim(),
  )
}

function getOccurrence(occurrences: Map<string, Occurrence>, term: string): Occurrence {
  return getOrCompute(occurrences, term, () => ({ count: 0, inHeadings: false, inTitle: false }))
}

function getOrCompute<Key, Value>(cache: Map<Key, Value>, key: Key, compute: (key: Key) => Value): Value {
  const value = cache.get(key)
  if (value !== undefined) return value
  const computed = compute(key)
  cache.set(key, computed)
  return computed
}

/** Stems each word of a source once. */
class StemCache {
  readonly aliases = new Map<string, Set<string>>()
  readonly #termsByLanguage = new Map<string, Map<string, string>>()

  findTerms(tokens: readonly Token[], language: string): string[] {
    const terms = getOrCompute(this.#termsByLanguage, language, () => new Map<string, string>())
    return tokens.map((token) => this.#findTerm(token, language, terms))
  }

  #findTerm(token: Token, language: string, terms: Map<string, string>): string {
    if (token.kind !== 'word') return token.text
    return getOrCompute(terms, token.text, (word) => {
      const term = stemWord(language, word)
      const folded = foldDiacritics(word)
      if (folded !== term) getOrCompute(this.aliases, folded, () => new Set<string>()).add(term)
      return term
    })
  }
}
