import type { WeightedText } from '../../ports.ts'
import { detectLanguage } from './detect-language.ts'
import { isEverydayWord } from './everyday-words.ts'
import type { TermShares } from './find-near-terms.ts'
import { foldMarks } from './fold-text.ts'
import { chunkCountOf, frequencyOf, isFunctionWord, termsOfWord } from './known-terms.ts'
import { relatedTerms } from './related-terms.ts'
import type { SearchIndex } from './search-index.ts'
import { type Token, tokenise } from './tokenise.ts'

/** Characters and words of a question that are read. */
const MAX_TEXT = 14_000
const MAX_WORDS = 2000
const MAX_PAIR = 30

/** What a passage has of a word that it says in another one. Long texts say enough themselves. */
const RELATED_SHARE = 0.5
const MAX_RELATED_TEXT = 20
const MAX_RELATED = 24
/** Related terms that more passages have are left out. */
const COMMON_SHARE = 0.2
const FEW_PASSAGES = 50

/** What words that people use whatever they talk about count. */
const EVERYDAY_WEIGHT = 0.5
/** Of BM25: how soon repeating a word within a question stops counting. */
const REPETITION = 2

/** A word of a question before unknown ones are corrected. */
export interface DraftWord {
  readonly token: Token
  /** Without marks. */
  readonly word: string
  /** A function word. */
  readonly light: boolean
  /** Whether the newest text has it. */
  readonly isNew: boolean
  weight: number
  readonly terms: Map<string, number>
  readonly related: TermShares
  /** Other words that it turned out to be made of. */
  readonly parts: DraftWord[]
}

/** What the words of all texts of a question are put into. */
export interface Drafting {
  readonly indexes: readonly SearchIndex[]
  /** Of the documents. */
  readonly languages: readonly string[]
  readonly drafts: Map<string, DraftWord>
  /** Whether the text is the newest one. */
  readonly isNew: boolean
}

/** Adds the words of a text. Forms that are written as one are other names of their parts. */
export function draftText({ text, weight }: WeightedText, drafting: Drafting): void {
  const { indexes, languages, drafts } = drafting
  const { tokens, joined } = tokenise(text.slice(0, MAX_TEXT))
  const own = detectLanguage(tokens.map((token) => foldMarks(token.text)))
  const asked = own === null ? languages : [own]
  const stemmed = own !== null && languages.includes(own) ? asked : languages
  const reading = { asked, stemmed, hasRelated: drafting.isNew && tokens.length <= MAX_RELATED_TEXT }
  const counts = new Map<DraftWord, number>()
  const words = tokens.slice(0, MAX_WORDS).map((token) => {
    const word = foldMarks(token.text)
    const draft = drafts.get(word) ?? draftWord(token, reading, drafting)
    drafts.set(word, draft)
    counts.set(draft, (counts.get(draft) ?? 0) + 1)
    return draft
  })
  for (const [draft, count] of counts) {
    const repeated = (count * (REPETITION + 1)) / (count + REPETITION)
    const counted = weight * repeated * (isTelling(draft, reading) ? 1 : EVERYDAY_WEIGHT)
    draft.weight = Math.max(draft.weight, counted)
  }
  for (const whole of [...joined.filter(({ indexOnly }) => !indexOnly), ...pairsOf(words)]) {
    const parts = words.slice(whole.first, whole.last + 1)
    const terms = parts.length === 0 ? [] : termsOfWord(whole, indexes, languages)
    for (const part of parts) for (const term of terms) part.terms.set(term, 1)
  }
}

/** How the words of a text are read: in its own language where it tells, else in any of the documents. */
interface TextReading {
  /** Function words and everyday words of one language mean something in another (`plus`, `die`, `over`). */
  readonly asked: readonly string[]
  /** Those of them that words are stemmed in. */
  readonly stemmed: readonly string[]
  /** Whether other words that mean much the same count, too. */
  readonly hasRelated: boolean
}

function draftWord(token: Token, { asked, stemmed, hasRelated }: TextReading, drafting: Drafting): DraftWord {
  const { indexes, isNew } = drafting
  const word = foldMarks(token.text)
  const terms = new Map(termsOfWord(token, indexes, stemmed).map((term) => [term, 1]))
  const light = isLight(token, word, asked)
  const found = hasRelated && token.kind === 'word' && !light ? relatedIn(token.text, asked, drafting) : []
  const related = new Map(found.flatMap((term) => (terms.has(term) ? [] : [[term, RELATED_SHARE] as const])))
  return { token, word, light, isNew, weight: 0, terms, related, parts: [] }
}

/** The rarest of the related terms that the documents have: what many passages say tells nothing. */
function relatedIn(word: string, asked: readonly string[], { indexes, languages }: Drafting): string[] {
  const limit = Math.max(FEW_PASSAGES, chunkCountOf(indexes) * COMMON_SHARE)
  return [...relatedTerms(word, asked, languages)]
    .map((term) => ({ term, frequency: frequencyOf(term, indexes) }))
    .filter(({ frequency }) => frequency > 0 && frequency <= limit)
    .sort((left, right) => left.frequency - right.frequency || (left.term < right.term ? -1 : 1))
    .slice(0, MAX_RELATED)
    .map(({ term }) => term)
}

function isTelling({ token, light }: DraftWord, { asked }: TextReading): boolean {
  return light || token.kind !== 'word' || !isEverydayWord(token.text, asked)
}

const HIRAGANA = /^\p{Script=Hiragana}+$/u

function isLight(token: Token, word: string, languages: readonly string[]): boolean {
  if (token.kind === 'gram') return HIRAGANA.test(word)
  return token.kind === 'word' && languages.some((language) => isFunctionWord(word, language))
}

/** Neighbours may be written as one in the documents: `check in`, `A 113`. */
function pairsOf(words: readonly DraftWord[]): (Token & { readonly first: number; readonly last: number })[] {
  return words.slice(1).flatMap((right, at) => {
    const left = words[at] as DraftWord
    const text = left.token.text + right.token.text
    const numbers = [left, right].filter(({ token }) => token.kind === 'number').length
    const short = left.word.length < 2 || right.word.length < 2
    if (text.length > MAX_PAIR || numbers === 2 || (short && numbers === 0)) return []
    if ([left, right].some(({ token }) => token.kind === 'gram') || (left.light && right.light)) return []
    return [{ text, kind: numbers === 0 ? ('word' as const) : ('number' as const), first: at, last: at + 1 }]
  })
}
