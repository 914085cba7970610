import type { WeightedText } from '../../ports.ts'
import { detectLanguage } from './detect-language.ts'
import { findCompounds, findNearTerms, type TermShares } from './find-near-terms.ts'
import { foldMarks } from './fold-text.ts'
import { chunkCountOf, frequencyOf, termsOfWord } from './known-terms.ts'
import { pairOf } from './pair-terms.ts'
import { rarity } from './rarity.ts'
import type { SearchIndex } from './search-index.ts'
import { stopWords } from './stop-words.ts'
import { type Token, tokenise } from './tokenise.ts'

/** A word of a question. */
export interface PlannedWord {
  /** What it counts beside the others, before its rarity. */
  readonly weight: number
  /** Function words: a passage is not found by them alone, unless the question has no other words. */
  readonly light: boolean
  /** Whether a passage without it lacks something; forms that are written as one only move a passage up. */
  readonly required: boolean
  /** Terms that count as the word, with the share of it that they are worth. */
  readonly terms: TermShares
}

const LONGEST_TEXT = 8000
const MOST_WORDS = 400
const MOST_PLANNED = 48
const MOST_CORRECTED = 8
const LONGEST_PAIR = 30
/** What function words count beside content words of the same rarity. */
const LIGHT_WEIGHT = 0.2
/** What neighbours that stand in a heading together count, of their own rarity. */
const PAIR_WEIGHT = 0.3

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<string> = new Set(['da', 'de', 'fi', 'hu', 'nl', 'no', 'sv'])

interface DraftWord {
  readonly token: Token
  /** Without marks. */
  readonly word: string
  readonly light: boolean
  weight: number
  readonly terms: Map<string, number>
  /** Whether it may be a part of longer words. */
  readonly compounds: boolean
  /** Other words that it turned out to be made of. */
  readonly parts: DraftWord[]
}

/** Finds out what terms of the indexes a question asks for. Texts are given newest first. */
export function planQuery(indexes: readonly SearchIndex[], texts: readonly WeightedText[]): PlannedWord[] {
  const languages = [...new Set(indexes.flatMap((index) => [...index.languages]))].sort()
  const drafts = new Map<string, DraftWord>()
  const joined: PlannedWord[] = []
  for (const { text, weight } of texts) {
    if (weight > 0) draftText({ text, weight }, { indexes, languages, drafts, joined })
  }
  const kept = mostTelling([...drafts.values()], indexes)
  correctUnknown(kept, indexes, languages)
  for (const draft of kept) {
    if (!draft.compounds) continue
    for (const [term, share] of findCompounds(draft.token, indexes)) {
      if (!draft.terms.has(term)) draft.terms.set(term, share)
    }
  }
  const planned = kept.flatMap((draft) => (draft.parts.length > 0 ? draft.parts : [draft]))
  return [...planned.map((draft) => ({ ...plannedWord(draft), required: true })), ...joined.slice(0, MOST_PLANNED)]
}

function plannedWord({ weight, light, terms }: DraftWord): Omit<PlannedWord, 'required'> {
  return { weight: light ? weight * LIGHT_WEIGHT : weight, light, terms }
}

interface Drafting {
  readonly indexes: readonly SearchIndex[]
  readonly languages: readonly string[]
  readonly drafts: Map<string, DraftWord>
  readonly joined: PlannedWord[]
}

function draftText({ text, weight }: WeightedText, { indexes, languages, drafts, joined }: Drafting): void {
  const { tokens, joined: joinedTokens } = tokenise(text.slice(0, LONGEST_TEXT))
  const own = detectLanguage(tokens.map((token) => foldMarks(token.text)))
  const lists = [...new Set([...languages, ...(own === null ? [] : [own])])].flatMap(
    (language) => stopWords.get(language) ?? [],
  )
  const compounds = own === null ? languages.some((language) => COMPOUNDING.has(language)) : COMPOUNDING.has(own)
  const words = tokens.slice(0, MOST_WORDS).map((token) => {
    const word = foldMarks(token.text)
    const known = drafts.get(word)
    if (known !== undefined) {
      known.weight = Math.max(known.weight, weight)
      return known
    }
    const light = isLight(token, word, lists)
    const terms = new Map(termsOfWord(token, indexes, languages).map((term) => [term, 1]))
    const draft: DraftWord = { token, word, light, weight, terms, parts: [], compounds: compounds && !light }
    drafts.set(word, draft)
    return draft
  })
  joined.push(...headingPairsOf(words, weight, indexes))
  for (const whole of [...joinedTokens.filter(({ indexOnly }) => !indexOnly), ...pairsOf(words)]) {
    const parts = words.slice(whole.first, whole.last + 1)
    const terms = parts.length === 0 ? [] : termsOfWord(whole, indexes, languages)
    if (terms.length === 0) continue
    for (const part of parts) for (const term of terms) part.terms.set(term, 1)
    joined.push({ weight, light: parts.every(({ light }) => light), required: false, terms: sharesOf(terms) })
  }
}

function headingPairsOf(words: readonly DraftWord[], weight: number, indexes: readonly SearchIndex[]): PlannedWord[] {
  return words.slice(1).flatMap((right, at) => {
    const left = words[at] as DraftWord
    if (left.light && right.light) return []
    const terms = [...left.terms.keys()]
      .flatMap((first) => [...right.terms.keys()].map((second) => pairOf(first, second)))
      .filter((pair) => frequencyOf(pair, indexes) > 0)
    if (terms.length === 0) return []
    return [{ weight: weight * PAIR_WEIGHT, light: false, required: false, terms: sharesOf(terms) }]
  })
}

function sharesOf(terms: readonly string[]): TermShares {
  return new Map(terms.map((term) => [term, 1]))
}

const HIRAGANA = /^\p{Script=Hiragana}+$/u

function isLight(token: Token, word: string, lists: readonly ReadonlySet<string>[]): boolean {
  if (token.kind === 'gram') return HIRAGANA.test(word)
  return token.kind === 'word' && lists.some((list) => list.has(word))
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

/** Of very long questions the rarest words; those that no passage has come last. */
function mostTelling(drafts: readonly DraftWord[], indexes: readonly SearchIndex[]): readonly DraftWord[] {
  if (drafts.length <= MOST_PLANNED) return drafts
  const chunkCount = chunkCountOf(indexes)
  const worth = new Map(
    drafts.map((draft) => {
      const frequency = Math.max(0, ...[...draft.terms.keys()].map((term) => frequencyOf(term, indexes)))
      return [
        draft,
        frequency === 0 ? 0 : draft.weight * rarity(frequency, chunkCount) * (draft.light ? LIGHT_WEIGHT : 1),
      ]
    }),
  )
  return [...drafts].sort((left, right) => (worth.get(right) ?? 0) - (worth.get(left) ?? 0)).slice(0, MOST_PLANNED)
}

/** Words that no passage has are taken for others that are like them, or for two words written as one. */
function correctUnknown(
  drafts: readonly DraftWord[],
  indexes: readonly SearchIndex[],
  languages: readonly string[],
): void {
  const unknown = drafts.filter((draft) => draft.terms.size === 0 && !draft.light && draft.token.kind !== 'number')
  for (const draft of unknown.slice(0, MOST_CORRECTED)) {
    const near = findNearTerms(draft.token, indexes, languages)
    if (near.parts === null) for (const [term, share] of near.terms) draft.terms.set(term, share)
    else {
      for (const terms of near.parts) {
        draft.parts.push({ ...draft, weight: draft.weight / near.parts.length, terms: new Map(terms), parts: [] })
      }
    }
  }
}
