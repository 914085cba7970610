import type { WeightedText } from '../../ports.ts'
import { detectLanguage } from './detect-language.ts'
import { isEverydayWord } from './everyday-words.ts'
import type { TermShares } from './find-near-terms.ts'
import { foldMarks } from './fold-text.ts'
import { chunkCountOf, frequencyOf, isFunctionWord, termsOfWord } from './known-terms.ts'
import { pairOf } from './pair-terms.ts'
import type { PlannedWord } from './plan-query.ts'
import { relatedTerms } from './related-terms.ts'
import type { SearchIndex } from './search-index.ts'
import { type Token, tokenise } from './tokenise.ts'

/** What of a question is looked at. */
export const LONGEST_TEXT = 8000
const MOST_WORDS = 400
/** How many words of a question are searched for. */
export const MOST_PLANNED = 48
const LONGEST_PAIR = 30

/** What function words count beside content words of the same rarity. */
export const LIGHT_WEIGHT = 0.1
/** What words that people use whatever they talk about count. */
const EVERYDAY_WEIGHT = 0.5
/** What neighbours that stand in a heading together count, of their own rarity. */
const PAIR_WEIGHT = 0.3
/** What a passage has of a word that it says in another one. */
const RELATED_SHARE = 0.5
const MOST_RELATED = 24
/** Related terms that more passages have are left out. */
const COMMON_SHARE = 0.2
const FEW_PASSAGES = 50

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<string> = new Set(['da', 'de', 'fi', 'hu', 'nl', 'no', 'sv'])

const NONE: TermShares = new Map()

/** A word of a question before unknown ones are corrected. */
export interface DraftWord {
  readonly token: Token
  /** Without marks. */
  readonly word: string
  /** A function word. */
  readonly light: boolean
  weight: number
  readonly terms: Map<string, number>
  readonly related: TermShares
  /** Whether it may be a part of longer words. */
  readonly compounds: boolean
  /** Other words that it turned out to be made of. */
  readonly parts: DraftWord[]
}

/** What the words of all texts of a question are put into. */
export interface Drafting {
  readonly indexes: readonly SearchIndex[]
  /** Of the documents. */
  readonly languages: readonly string[]
  readonly drafts: Map<string, DraftWord>
  readonly joined: PlannedWord[]
}

/** Adds the words of a text, and forms that are written as one. */
export function draftText({ text, weight }: WeightedText, drafting: Drafting): void {
  const { indexes, languages, drafts, joined } = drafting
  const { tokens, joined: joinedTokens } = tokenise(text.slice(0, LONGEST_TEXT))
  const own = detectLanguage(tokens.map((token) => foldMarks(token.text)))
  const spoken = languagesOf(own, languages)
  const words = tokens.slice(0, MOST_WORDS).map((token) => {
    const word = foldMarks(token.text)
    const draft = drafts.get(word) ?? draftWord(token, spoken, drafting)
    draft.weight = Math.max(draft.weight, isTelling(draft, spoken) ? weight : weight * EVERYDAY_WEIGHT)
    drafts.set(word, draft)
    return draft
  })
  joined.push(...headingPairsOf(words, weight, indexes))
  for (const whole of [...joinedTokens.filter(({ indexOnly }) => !indexOnly), ...pairsOf(words)]) {
    const parts = words.slice(whole.first, whole.last + 1)
    const terms = parts.length === 0 ? [] : termsOfWord(whole, indexes, languages)
    if (terms.length === 0) continue
    for (const part of parts) for (const term of terms) part.terms.set(term, 1)
    const kind = parts.every(({ light }) => light) ? 'function' : 'content'
    joined.push({ weight, kind, required: false, terms: sharesOf(terms), related: NONE })
  }
}

/** What a text may be in: its own language where it tells, else any of the documents. */
interface SpokenLanguages {
  /** Function words and everyday words of one language mean something in another (`plus`, `die`, `over`). */
  readonly asked: readonly string[]
  /** Those of them that words are stemmed in. */
  readonly stemmed: readonly string[]
}

function languagesOf(own: string | null, languages: readonly string[]): SpokenLanguages {
  const asked = own === null ? languages : [own]
  return { asked, stemmed: own !== null && languages.includes(own) ? asked : languages }
}

function draftWord(token: Token, { asked, stemmed }: SpokenLanguages, drafting: Drafting): DraftWord {
  const word = foldMarks(token.text)
  const light = isLight(token, word, asked)
  const terms = new Map(termsOfWord(token, drafting.indexes, stemmed).map((term) => [term, 1]))
  const related = new Map<string, number>()
  if (token.kind === 'word' && !light) {
    for (const term of knownRelated(token.text, asked, drafting)) if (!terms.has(term)) related.set(term, RELATED_SHARE)
  }
  const compounds = !light && asked.some((language) => COMPOUNDING.has(language))
  return { token, word, light, weight: 0, terms, related, compounds, parts: [] }
}

/** The rarest of the related terms that the documents have: what many passages say tells nothing. */
function knownRelated(word: string, asked: readonly string[], { indexes, languages }: Drafting): string[] {
  const limit = Math.max(FEW_PASSAGES, chunkCountOf(indexes) * COMMON_SHARE)
  return [...relatedTerms(word, asked, languages)]
    .map((term) => ({ term, frequency: frequencyOf(term, indexes) }))
    .filter(({ frequency }) => frequency > 0 && frequency <= limit)
    .sort((left, right) => left.frequency - right.frequency || (left.term < right.term ? -1 : 1))
    .slice(0, MOST_RELATED)
    .map(({ term }) => term)
}

function isTelling({ token, light }: DraftWord, { asked }: SpokenLanguages): boolean {
  return light || token.kind !== 'word' || !isEverydayWord(token.text, asked)
}

function headingPairsOf(words: readonly DraftWord[], weight: number, indexes: readonly SearchIndex[]): PlannedWord[] {
  return words.slice(1).flatMap((right, at): PlannedWord[] => {
    const left = words[at] as DraftWord
    if (left.light && right.light) return []
    const terms = [...left.terms.keys()]
      .flatMap((first) => [...right.terms.keys()].map((second) => pairOf(first, second)))
      .filter((pair) => frequencyOf(pair, indexes) > 0)
    if (terms.length === 0) return []
    const planned = { weight: weight * PAIR_WEIGHT, terms: sharesOf(terms), related: NONE }
    return [{ ...planned, kind: 'content', required: false }]
  })
}

function sharesOf(terms: readonly string[]): TermShares {
  return new Map(terms.map((term) => [term, 1]))
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
    if (text.length > LONGEST_PAIR || numbers === 2 || (short && numbers === 0)) return []
    if ([left, right].some(({ token }) => token.kind === 'gram') || (left.light && right.light)) return []
    return [{ text, kind: numbers === 0 ? ('word' as const) : ('number' as const), first: at, last: at + 1 }]
  })
}
