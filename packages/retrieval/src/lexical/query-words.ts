import { detectLanguage } from './detect-language.ts'
import { isEverydayWord } from './everyday-words.ts'
import type { TermWeights } from './find-near-terms.ts'
import { foldMarks } from './fold-text.ts'
import { chunkCountOf, frequencyOf, isFunctionWord, termsOfWord } from './known-terms.ts'
import { relatedTerms } from './related-terms.ts'
import type { SearchIndex } from './search-index.ts'
import { type Token, tokenize } from './tokenize.ts'

/** A part of what is searched for; `weight` (above 0, at most 1) is how much it counts relative to the others. */
export interface WeightedText {
  readonly text: string
  readonly weight: number
}

/** Characters and words of a question that are read. */
const MAX_QUERY_CHARACTERS = 14_000
const MAX_WORDS = 2000
const MAX_PAIR_CHARACTERS = 30

/** What a passage has of a word that it says in another one. Long texts say enough themselves. */
const RELATED_TERM_WEIGHT = 0.5
const MAX_TOKENS_FOR_RELATED = 20
const MAX_RELATED = 24
/** Related terms that more passages have are left out. */
const COMMON_TERM_RATIO = 0.2
const MIN_COMMON_PASSAGES = 50

/** What words that people use whatever they talk about count. */
const EVERYDAY_WORD_WEIGHT = 0.5
/** Of BM25: how soon repeating a word within a question stops counting. */
const QUERY_TERM_SATURATION = 2

/** A word of a question before unknown ones are corrected. */
export interface CandidateWord {
  readonly token: Token
  /** Without marks. */
  readonly word: string
  /** A function word. */
  readonly light: boolean
  /** Whether the newest text has it. */
  readonly isNew: boolean
  weight: number
  readonly terms: Map<string, number>
  readonly related: TermWeights
  /** Other words that it turned out to be made of. */
  readonly parts: CandidateWord[]
}

/** What the words of all texts of a question are put into. */
export interface QueryAnalysis {
  readonly indexes: readonly SearchIndex[]
  /** Of the documents. */
  readonly languages: readonly string[]
  readonly candidates: Map<string, CandidateWord>
  /** Whether the text is the newest one. */
  readonly isNew: boolean
}

/** Adds the words of a text. Forms that are written as one are other names of their parts. */
export function addCandidates({ text, weight }: WeightedText, analysis: QueryAnalysis): void {
  const { indexes, languages, candidates } = analysis
  const { tokens, joined } = tokenize(text.slice(0, MAX_QUERY_CHARACTERS))
  const own = detectLanguage(tokens.map((token) => foldMarks(token.text)))
  const asked = own === null ? languages : [own]
  const stemmed = own !== null && languages.includes(own) ? asked : languages
  const reading = { asked, stemmed, usesRelatedTerms: analysis.isNew && tokens.length <= MAX_TOKENS_FOR_RELATED }
  const counts = new Map<CandidateWord, number>()
  const words = tokens.slice(0, MAX_WORDS).map((token) => {
    const word = foldMarks(token.text)
    const candidate = candidates.get(word) ?? createCandidate(token, reading, analysis)
    candidates.set(word, candidate)
    counts.set(candidate, (counts.get(candidate) ?? 0) + 1)
    return candidate
  })
  for (const [candidate, count] of counts) {
    const repeated = (count * (QUERY_TERM_SATURATION + 1)) / (count + QUERY_TERM_SATURATION)
    const counted = weight * repeated * (isDistinctive(candidate, reading) ? 1 : EVERYDAY_WORD_WEIGHT)
    candidate.weight = Math.max(candidate.weight, counted)
  }
  for (const whole of [...joined.filter(({ indexOnly }) => !indexOnly), ...pairsOf(words)]) {
    const parts = words.slice(whole.first, whole.last + 1)
    const terms = parts.length === 0 ? [] : termsOfWord(whole, indexes, languages)
    for (const part of parts) for (const term of terms) part.terms.set(term, 1)
  }
}

/** How the words of a text are read: in its own language where it tells, else in any of the documents. */
interface TextAnalysis {
  /** Function words and everyday words of one language mean something in another (`plus`, `die`, `over`). */
  readonly asked: readonly string[]
  /** Those of them that words are stemmed in. */
  readonly stemmed: readonly string[]
  /** Whether other words that mean much the same count, too. */
  readonly usesRelatedTerms: boolean
}

function createCandidate(
  token: Token,
  { asked, stemmed, usesRelatedTerms }: TextAnalysis,
  analysis: QueryAnalysis,
): CandidateWord {
  const { indexes, isNew } = analysis
  const word = foldMarks(token.text)
  const terms = new Map(termsOfWord(token, indexes, stemmed).map((term) => [term, 1]))
  const light = isLight(token, word, asked)
  const found = usesRelatedTerms && token.kind === 'word' && !light ? findRelated(token.text, asked, analysis) : []
  const related = new Map(found.flatMap((term) => (terms.has(term) ? [] : [[term, RELATED_TERM_WEIGHT] as const])))
  return { token, word, light, isNew, weight: 0, terms, related, parts: [] }
}

/** The rarest of the related terms that the documents have: what many passages say tells nothing. */
function findRelated(word: string, asked: readonly string[], { indexes, languages }: QueryAnalysis): string[] {
  const limit = Math.max(MIN_COMMON_PASSAGES, chunkCountOf(indexes) * COMMON_TERM_RATIO)
  return [...relatedTerms(word, asked, languages)]
    .map((term) => ({ term, frequency: frequencyOf(term, indexes) }))
    .filter(({ frequency }) => frequency > 0 && frequency <= limit)
    .sort((left, right) => left.frequency - right.frequency || (left.term < right.term ? -1 : 1))
    .slice(0, MAX_RELATED)
    .map(({ term }) => term)
}

function isDistinctive({ token, light }: CandidateWord, { asked }: TextAnalysis): boolean {
  return light || token.kind !== 'word' || !isEverydayWord(token.text, asked)
}

const HIRAGANA = /^\p{Script=Hiragana}+$/u

function isLight(token: Token, word: string, languages: readonly string[]): boolean {
  if (token.kind === 'gram') return HIRAGANA.test(word)
  return token.kind === 'word' && languages.some((language) => isFunctionWord(word, language))
}

/** Neighbours may be written as one in the documents: `check in`, `A 113`. */
function pairsOf(words: readonly CandidateWord[]): (Token & { readonly first: number; readonly last: number })[] {
  return words.slice(1).flatMap((right, at) => {
    const left = words[at] as CandidateWord
    const text = left.token.text + right.token.text
    const numbers = [left, right].filter(({ token }) => token.kind === 'number').length
    const short = left.word.length < 2 || right.word.length < 2
    if (text.length > MAX_PAIR_CHARACTERS || numbers === 2 || (short && numbers === 0)) return []
    if ([left, right].some(({ token }) => token.kind === 'gram') || (left.light && right.light)) return []
    return [{ text, kind: numbers === 0 ? ('word' as const) : ('number' as const), first: at, last: at + 1 }]
  })
}
