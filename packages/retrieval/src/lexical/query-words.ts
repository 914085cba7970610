import { detectLanguage } from './detect-language.ts'
import { isEverydayWord } from './everyday-words.ts'
import { foldDiacritics } from './fold-text.ts'
import { countChunks, findWordTerms, getFrequency, isFunctionWord } from './known-terms.ts'
import type { TermWeights } from './near-terms.ts'
import { findSynonyms } from './related-terms.ts'
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
const SYNONYM_WEIGHT = 0.5
const MAX_TOKENS_FOR_SYNONYMS = 20
const MAX_SYNONYMS = 24
/** Synonyms in a larger share of passages are ignored. */
const COMMON_TERM_RATIO = 0.2
const MIN_COMMON_PASSAGES = 50

/** Weight of words that are common in any topic. */
const EVERYDAY_WORD_WEIGHT = 0.5
/** BM25 k3: saturation of repeated query words. */
const QUERY_TERM_SATURATION = 2

/** A word of a question before spelling correction. */
export interface CandidateWord {
  readonly token: Token
  /** The word without diacritics. */
  readonly word: string
  /** Whether the word is a function word. */
  readonly isStopWord: boolean
  /** Whether the newest text contains it. */
  readonly isNew: boolean
  weight: number
  readonly terms: Map<string, number>
  readonly synonyms: TermWeights
}

/** State that all texts of a query share during their analysis. */
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
  const detectedLanguage = detectLanguage(tokens.map((token) => foldDiacritics(token.text)))
  const queryLanguages = detectedLanguage === null ? languages : [detectedLanguage]
  const stemmingLanguages =
    detectedLanguage !== null && languages.includes(detectedLanguage) ? queryLanguages : languages
  const textAnalysis = {
    queryLanguages,
    stemmingLanguages,
    usesSynonyms: analysis.isNew && tokens.length <= MAX_TOKENS_FOR_SYNONYMS,
  }
  const counts = new Map<CandidateWord, number>()
  for (const token of tokens.slice(0, MAX_WORDS)) {
    const word = foldDiacritics(token.text)
    const candidate = candidates.get(word) ?? createCandidate(token, textAnalysis, analysis)
    candidates.set(word, candidate)
    counts.set(candidate, (counts.get(candidate) ?? 0) + 1)
  }
  for (const [candidate, count] of counts) {
    const saturatedCount = (count * (QUERY_TERM_SATURATION + 1)) / (count + QUERY_TERM_SATURATION)
    const weightInText = weight * saturatedCount * (isDistinctive(candidate, textAnalysis) ? 1 : EVERYDAY_WORD_WEIGHT)
    candidate.weight = Math.max(candidate.weight, weightInText)
  }
}

/** How to analyze a text. If its language is not detected, the languages of the documents apply. */
interface TextAnalysis {
  /** Languages of function and everyday words, which can be content words elsewhere (`plus`, `die`, `over`). */
  readonly queryLanguages: readonly string[]
  /** Languages for stemming. */
  readonly stemmingLanguages: readonly string[]
  /** Whether synonyms are searched for. */
  readonly usesSynonyms: boolean
}

function createCandidate(
  token: Token,
  { queryLanguages, stemmingLanguages, usesSynonyms }: TextAnalysis,
  analysis: QueryAnalysis,
): CandidateWord {
  const { indexes, isNew } = analysis
  const word = foldDiacritics(token.text)
  const terms = new Map(findWordTerms(token, indexes, stemmingLanguages).map((term) => [term, 1]))
  const isStopWord = isFunctionToken(token, word, queryLanguages)
  const synonymTerms =
    usesSynonyms && token.kind === 'word' && !isStopWord ? selectSynonyms(token.text, queryLanguages, analysis) : []
  const synonyms = new Map(synonymTerms.flatMap((term) => (terms.has(term) ? [] : [[term, SYNONYM_WEIGHT] as const])))
  return { token, word, isStopWord, isNew, weight: 0, terms, synonyms }
}

/** Returns the synonyms that are rarest in the documents. The limits bound the cost of a search. */
function selectSynonyms(
  word: string,
  queryLanguages: readonly string[],
  { indexes, languages }: QueryAnalysis,
): string[] {
  const limit = Math.max(MIN_COMMON_PASSAGES, countChunks(indexes) * COMMON_TERM_RATIO)
  return [...findSynonyms(word, queryLanguages, languages)]
    .map((term) => ({ term, frequency: getFrequency(term, indexes) }))
    .filter(({ frequency }) => frequency > 0 && frequency <= limit)
    .sort((left, right) => left.frequency - right.frequency || (left.term < right.term ? -1 : 1))
    .slice(0, MAX_SYNONYMS)
    .map(({ term }) => term)
}

function isDistinctive({ token, isStopWord }: CandidateWord, { queryLanguages }: TextAnalysis): boolean {
  return isStopWord || token.kind !== 'word' || !isEverydayWord(token.text, queryLanguages)
}

function isFunctionToken(token: Token, word: string, languages: readonly string[]): boolean {
  return token.kind === 'word' && languages.some((language) => isFunctionWord(word, language))
}
