import type { WeightedText } from '../../ports.ts'
import { type DraftWord, draftText, LIGHT_WEIGHT, LONGEST_TEXT, MOST_PLANNED } from './draft-words.ts'
import { answerTypesFor } from './find-answer-types.ts'
import { findCompounds, findNearTerms, type TermShares } from './find-near-terms.ts'
import { chunkCountOf, frequencyOf } from './known-terms.ts'
import { rarity } from './rarity.ts'
import type { SearchIndex } from './search-index.ts'

/** A word of a question, or something else that it asks for. */
export interface PlannedWord {
  /** What it counts beside the others, before its rarity. */
  readonly weight: number
  /**
   * `content`: passages are found by it. `function`: not by it alone, unless the question has no other words. `answer`: a kind of
   * answer, which only moves up passages that were found.
   */
  readonly kind: 'content' | 'function' | 'answer'
  /** Whether a passage without it lacks something; forms that are written as one only move a passage up. */
  readonly required: boolean
  /** Terms that count as the word, with the share of it that they are worth. */
  readonly terms: TermShares
  /** Terms of other words that mean much the same; how rare the word is, is told without them where it is known itself. */
  readonly related: TermShares
}

const MOST_CORRECTED = 8
/** What showing the kind of fact that is asked for counts. */
const ANSWER_WEIGHT = 0.25
const NONE: TermShares = new Map()

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
  return [...planned.map(plannedWord), ...joined.slice(0, MOST_PLANNED), ...plannedAnswers(texts)]
}

function plannedWord({ weight, light, terms, related }: DraftWord): PlannedWord {
  const kind = light ? 'function' : 'content'
  return { weight: light ? weight * LIGHT_WEIGHT : weight, kind, required: true, terms, related }
}

/** Kinds of answers that are asked for, each once. */
function plannedAnswers(texts: readonly WeightedText[]): PlannedWord[] {
  const weights = new Map<string, number>()
  for (const { text, weight } of texts) {
    for (const term of weight > 0 ? answerTypesFor(text.slice(0, LONGEST_TEXT)) : []) {
      weights.set(term, Math.max(weight, weights.get(term) ?? 0))
    }
  }
  return [...weights].map(([term, weight]) => {
    const terms = new Map([[term, 1]])
    return { weight: weight * ANSWER_WEIGHT, kind: 'answer', required: false, terms, related: NONE }
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
