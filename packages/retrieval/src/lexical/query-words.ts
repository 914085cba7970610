import { detectLanguage } from './detect-language.ts'
import { isEverydayWord } from './everyday-words.ts'
import { foldMarks } from './fold-text.ts'
import { countChunks, findTermsOfWord, getFrequency, isFunctionWord } from './known-terms.ts'
import type { TermWeights } from './near-terms.ts'
import { findRelatedTerms } from './related-terms.ts'
import type { SearchIndex } from './search-index.ts'
import { type Token, tokenize } from './tokenize.ts'

/** A part of a query; `weight` (above 0, at most 1) is relative to the other parts. */
export interface WeightedText {
  readonly text: string
  readonly weight: number
}

/** Limits on the query text that is read. */
const MAX_QUERY_CHARACTERS = 14_000
const MAX_WORDS = 2000

/** Weight of a synonym. Long texts need no synonyms. */
const RELATED_TERM_WEIGHT = 0.5
const MAX_TOKENS_FOR_RELATED = 20
const MAX_RELATED = 24
/** Synonyms in a larger share of passages are ignored. */
const COMMON_TERM_RATIO = 0.2
const MIN_COMMON_PASSAGES = 50

/** Weight of words that are common in any topic. */
const EVERYDAY_WORD_WEIGHT = 0.5
/** BM25 k3: how soon repeated words of a question saturate. */
const QUERY_TERM_SATURATION = 2

/** A word of a question before spelling correction. */
export interface CandidateWord {
  readonly token: Token
  /** The word without marks. */
  readonly word: string
  /** Whether the word is a function word. */
  readonly light: boolean
  /** Whether the newest text contains it. */
  readonly isNew: boolean
  weight: number
  readonly terms: Map<string, number>
  readonly related: TermWeights
}

/** Collects the words of all texts of a question. */
export interface QueryAnalysis {
  readonly indexes: readonly SearchIndex[]
  /** Languages of the documents. */
  readonly languages: readonly string[]
  readonly candidates: Map<string, CandidateWord>
  /** Whether the text is the newest one. */
  readonly isNew: boolean
}

/** Adds the words of a text. */
export function addCandidates({ text, weight }: WeightedText, analysis: QueryAnalysis): void {
  const { languages, candidates } = analysis
  const tokens = tokenize(text.slice(0, MAX_QUERY_CHARACTERS))
  const detectedLanguage = detectLanguage(tokens.map((token) => foldMarks(token.text)))
  const queryLanguages = detectedLanguage === null ? languages : [detectedLanguage]
  const stemmed = detectedLanguage !== null && languages.includes(detectedLanguage) ? queryLanguages : languages
  const reading = {
    asked: queryLanguages,
    stemmed,
    usesRelatedTerms: analysis.isNew && tokens.length <= MAX_TOKENS_FOR_RELATED,
  }
  const counts = new Map<CandidateWord, number>()
  for (const token of tokens.slice(0, MAX_WORDS)) {
    const word = foldMarks(token.text)
    const candidate = candidates.get(word) ?? createCandidate(token, reading, analysis)
    candidates.set(word, candidate)
    counts.set(candidate, (counts.get(candidate) ?? 0) + 1)
  }
  for (const [candidate, count] of counts) {
    const repeated = (count * (QUERY_TERM_SATURATION + 1)) / (count + QUERY_TERM_SATURATION)
    const counted = weight * repeated * (isDistinctive(candidate, reading) ? 1 : EVERYDAY_WORD_WEIGHT)
    candidate.weight = Math.max(candidate.weight, counted)
  }
}

/** Languages with which a text is analyzed. If none is detected, the languages of the documents apply. */
interface TextAnalysis {
  /**
   * Languages for function and everyday words, which mean something else in other languages (`plus`, `die`, `over`).
   */
  readonly asked: readonly string[]
  /** Languages for stemming. */
  readonly stemmed: readonly string[]
  /** Whether synonyms are searched for. */
  readonly usesRelatedTerms: boolean
}

function createCandidate(
  token: Token,
  { asked, stemmed, usesRelatedTerms }: TextAnalysis,
  analysis: QueryAnalysis,
): CandidateWord {
  const { indexes, isNew } = analysis
  const word = foldMarks(token.text)
  const terms = new Map(findTermsOfWord(token, indexes, stemmed).map((term) => [term, 1]))
  const light = isLight(token, word, asked)
  const relatedTerms =
    usesRelatedTerms && token.kind === 'word' && !light ? findRelated(token.text, asked, analysis) : []
  const related = new Map(
    relatedTerms.flatMap((term) => (terms.has(term) ? [] : [[term, RELATED_TERM_WEIGHT] as const])),
  )
  return { token, word, light, isNew, weight: 0, terms, related }
}

/** Returns the synonyms that are rarest in the documents. The limits bound the cost of a search. */
function findRelated(word: string, asked: readonly string[], { indexes, languages }: QueryAnalysis): string[] {
  const limit = Math.max(MIN_COMMON_PASSAGES, countChunks(indexes) * COMMON_TERM_RATIO)
  return [...findRelatedTerms(word, asked, languages)]
    .map((term) => ({ term, frequency: getFrequency(term, indexes) }))
    .filter(({ frequency }) => frequency > 0 && frequency <= limit)
    .sort((left, right) => left.frequency - right.frequency || (left.term < right.term ? -1 : 1))
    .slice(0, MAX_RELATED)
    .map(({ term }) => term)
}

function isDistinctive({ token, light }: CandidateWord, { asked }: TextAnalysis): boolean {
  return light || token.kind !== 'word' || !isEverydayWord(token.text, asked)
}

function isLight(token: Token, word: string, languages: readonly string[]): boolean {
  return token.kind === 'word' && languages.some((language) => isFunctionWord(word, language))
}
