import { conceptsOfTerm } from './concepts.ts'

function likeness(term: string, others: ReadonlySet<string>, otherConcepts: ReadonlySet<string>): number {
  if (others.has(term)) return 1
  if (conceptsOfTerm(term).some((concept) => otherConcepts.has(concept))) return 0.7
  if (term.length < 5) return 0
  for (const other of others) if (other.length > 4 && (other.startsWith(term) || term.startsWith(other))) return 0.8
  return 0
}

/** The share of `terms` that `others` contain, 0 to 1; words of the same concept count 0.7, longer forms 0.8. */
export function overlap(terms: readonly string[], others: Iterable<string>): number {
  if (terms.length === 0) return 0
  const known = new Set(others)
  const concepts = new Set([...known].flatMap((term) => conceptsOfTerm(term)))
  return terms.reduce((sum, term) => sum + likeness(term, known, concepts), 0) / terms.length
}
