import { conceptsByForm, conceptsOfTerm } from './concepts.ts'
import type { Fact } from './read-statements.ts'
import { tokenize } from './tokenise.ts'
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

/** Adds weight to the entry of a fact; entries of one fact are always the last of a list. */
function add(postings: Map<string, number[]>, term: string, position: number, weight: number): void {
  const list = postings.get(term)
  if (list === undefined) postings.set(term, [position, weight])
  else if (list[list.length - 2] === position) list[list.length - 1] = (list[list.length - 1] ?? 0) + weight
  else list.push(position, weight)
}

/** Indexes facts with their concepts and the weekdays they cover. Postings hold fact position and weight alternately. */
export function indexFacts(facts: readonly Fact[]): FactIndex {
  const postings = new Map<string, number[]>()
  const contexts = new Map<string, readonly string[]>()
  const lengths: number[] = []
  for (const [position, fact] of facts.entries()) {
    const textTerms = tokenize(fact.text)
    let contextTerms = contexts.get(fact.context)
    if (contextTerms === undefined) {
      contextTerms = [...new Set(tokenize(fact.context))]
      contexts.set(fact.context, contextTerms)
    }
    const concepts = new Set(conceptsByForm(fact.text))
    for (const terms of [textTerms, contextTerms]) {
      for (const term of terms) {
        add(postings, term, position, terms === textTerms ? 1 : contextWeight)
        for (const concept of conceptsOfTerm(term)) concepts.add(concept)
      }
    }
    for (const concept of concepts) add(postings, concept, position, conceptWeight)
    for (const day of coveredWeekdays(fact.text)) if (!textTerms.includes(day)) add(postings, day, position, 1)
    lengths.push(textTerms.length)
  }
  const total = lengths.reduce((sum, length) => sum + length, 0)
  return { facts, postings, lengths, averageLength: facts.length === 0 ? 1 : Math.max(1, total / facts.length) }
}
