import { conceptsOfQuestion, conceptsOfTerm } from './concepts.ts'
import type { FactIndex } from './fact-index.ts'
import type { Fact } from './read-statements.ts'
import { contentTerms, stemWord } from './tokenise.ts'
import { coveredWeekdays } from './weekdays.ts'

/** A fact that fits a question. */
export interface FoundFact {
  readonly fact: Fact
  readonly score: number
  /** The share of the question's weight that the fact covers, 0 to 1. */
  readonly coverage: number
  /** Which of the question's words it covers, by position. */
  readonly covered: ReadonlySet<number>
}

/** One word of the question with what counts as the same: terms with the share of their weight. */
type Slot = ReadonlyMap<string, number>

// The usual parameters of BM25 (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework").
const saturation = 1.2
const lengthShare = 0.5
const maximumSlots = 24
const maximumNearTerms = 24

function slotsOf(question: string, indexes: readonly FactIndex[]): Slot[] {
  const slots = new Map<string, Map<string, number>>()
  const questionConcepts = conceptsOfQuestion(question)
  for (const term of [...new Set(contentTerms(question))].slice(0, maximumSlots)) {
    const slot = new Map([[term, 1]])
    for (const concept of conceptsOfTerm(term)) {
      if (!questionConcepts.includes(concept)) slot.set(concept, 0.7)
      else slot.set(concept, 0.5)
    }
    if (!indexes.some((index) => index.postings.has(term))) addNearTerms(term, slot, indexes)
    slots.set(term, slot)
  }
  for (const day of coveredWeekdays(question))
    slots.set(
      day,
      new Map([
        [stemWord(day), 1],
        [day, 1],
      ]),
    )
  const asked = [...slots.values()]
  for (const concept of questionConcepts) {
    // What form of answer is asked for says less than the words themselves.
    if (!asked.some((slot) => slot.has(concept)))
      slots.set(concept, new Map([[concept, asked.length === 0 ? 0.9 : 0.4]]))
  }
  return [...slots.values()].slice(0, maximumSlots)
}

/** A word that no fact has may be a longer or shorter form of one that some have, or have one wrong letter. */
function addNearTerms(term: string, slot: Map<string, number>, indexes: readonly FactIndex[]): void {
  if (term.length < 4) return
  for (const index of indexes) {
    for (const known of index.postings.keys()) {
      if (slot.size > maximumNearTerms) return
      if (known.charCodeAt(0) !== term.charCodeAt(0) || Math.abs(known.length - term.length) > 4 || known.length < 4)
        continue
      if (known.startsWith(term) || term.startsWith(known)) slot.set(known, 0.8)
      else if (term.length > 4 && differByOne(known, term)) slot.set(known, 0.8)
    }
  }
}

/** Whether two words differ by one letter put in, left out, changed, or by two neighbours swapped. */
export function differByOne(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) return false
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  const leftRest = left.slice(start)
  const rightRest = right.slice(start)
  return (
    leftRest.slice(1) === rightRest.slice(1) ||
    leftRest.slice(1) === rightRest ||
    leftRest === rightRest.slice(1) ||
    (leftRest[0] === rightRest[1] && leftRest[1] === rightRest[0] && leftRest.slice(2) === rightRest.slice(2))
  )
}

/** Finds the facts that fit a question best, best first, over several indexes at once. */
export function searchFacts(question: string, indexes: readonly FactIndex[], limit: number): FoundFact[] {
  const slots = slotsOf(question, indexes)
  const total = indexes.reduce((sum, index) => sum + index.facts.length, 0)
  if (slots.length === 0 || total === 0) return []
  const rarity = (frequency: number): number => Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
  const frequencyOf = (term: string): number =>
    indexes.reduce((sum, index) => sum + (index.postings.get(term)?.length ?? 0) / 2, 0)
  const found = new Map<Fact, { score: number; weight: number; covered: Set<number> }>()
  let totalWeight = 0
  slots.forEach((slot, slotPosition) => {
    const frequencies = [...slot].map(([term, share]) => ({ term, share, frequency: frequencyOf(term) }))
    const present = frequencies.filter(({ frequency }) => frequency > 0)
    const slotWeight =
      present.length === 0
        ? rarity(1) * Math.max(...slot.values())
        : Math.max(...present.map(({ frequency, share }) => rarity(frequency) * share))
    totalWeight += slotWeight
    const best = new Map<Fact, { score: number; share: number }>()
    for (const { term, share, frequency } of present) {
      for (const index of indexes) {
        const postings = index.postings.get(term) ?? []
        for (let at = 0; at < postings.length; at += 2) {
          const position = postings[at] ?? 0
          const weight = postings[at + 1] ?? 0
          const fact = index.facts[position]
          if (fact === undefined) continue
          const norm =
            saturation * (1 - lengthShare + (lengthShare * (index.lengths[position] ?? 1)) / index.averageLength)
          const score = share * rarity(frequency) * ((weight * (saturation + 1)) / (weight + norm))
          if (score > (best.get(fact)?.score ?? 0)) best.set(fact, { score, share })
        }
      }
    }
    for (const [fact, { score, share }] of best) {
      const entry = found.get(fact) ?? { score: 0, weight: 0, covered: new Set<number>() }
      entry.score += score
      entry.weight += slotWeight * share
      entry.covered.add(slotPosition)
      found.set(fact, entry)
    }
  })
  return [...found]
    .map(([fact, { score, weight, covered }]) => ({
      fact,
      score,
      covered,
      coverage: Math.min(1, weight / totalWeight),
    }))
    .sort((left, right) => right.score * (0.5 + right.coverage) - left.score * (0.5 + left.coverage))
    .slice(0, limit)
}
