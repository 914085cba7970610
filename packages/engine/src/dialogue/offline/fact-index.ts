import { conceptsByForm, conceptsOfTerm } from './concepts.ts'
import type { Fact } from './read-prompt.ts'
import { tokenise } from './tokenise.ts'
import { coveredWeekdays } from './weekdays.ts'

/** Facts prepared for search: for each term the facts that contain it and how often, in order of facts. */
export interface FactIndex {
  readonly facts: readonly Fact[]
  readonly postings: ReadonlyMap<string, readonly number[]>
  readonly lengths: readonly number[]
  readonly averageLength: number
}

/** Words of the heading count, but less than words of the fact itself; as shares of one occurrence. */
const contextWeight = 0.7
const conceptWeight = 0.6

/** Indexes facts with their concepts and the weekdays they cover. Postings hold fact position and weight alternately. */
export function indexFacts(facts: readonly Fact[]): FactIndex {
  const postings = new Map<string, number[]>()
  const lengths: number[] = []
  facts.forEach((fact, position) => {
    const weights = new Map<string, number>()
    const textTerms = tokenise(fact.text)
    for (const term of textTerms) weights.set(term, (weights.get(term) ?? 0) + 1)
    if (fact.context !== '')
      for (const term of new Set(tokenise(fact.context))) weights.set(term, (weights.get(term) ?? 0) + contextWeight)
    const derived = new Set(conceptsByForm(fact.text))
    for (const term of weights.keys()) for (const concept of conceptsOfTerm(term)) derived.add(concept)
    for (const concept of derived) weights.set(concept, conceptWeight)
    for (const day of coveredWeekdays(fact.text)) weights.set(day, Math.max(1, weights.get(day) ?? 0))
    for (const [term, weight] of weights) {
      const list = postings.get(term)
      if (list === undefined) postings.set(term, [position, weight])
      else list.push(position, weight)
    }
    lengths.push(textTerms.length)
  })
  const total = lengths.reduce((sum, length) => sum + length, 0)
  return { facts, postings, lengths, averageLength: facts.length === 0 ? 1 : Math.max(1, total / facts.length) }
}
