import type { RatedAnswer } from './rate-statements.ts'
import type { Statement } from './read-passage.ts'

const maximumEqual = 3
const closeRank = 0.12
const closeCoverage = 0.03
const closeWords = 0.55

/** An answer with what tells it from the others, '' when only its source does. */
export interface EqualAnswer {
  readonly answer: RatedAnswer
  readonly apart: string
}

function scopesOf({ label, passage }: Statement): string[] {
  return [label, ...[...passage.headings].reverse()].filter((one) => one !== '' && !/[?？]$/.test(one))
}

function alike(left: Statement, right: Statement): number {
  const others = new Set(right.own.map(({ folded }) => folded))
  const own = new Set(left.own.map(({ folded }) => folded))
  const common = [...own].filter((word) => others.has(word)).length
  return common / Math.max(1, own.size + others.size - common)
}

/**
 * The best answer and those that fit as well and say the same of something else: the question leaves open which is meant, so
 * each is told with what it is about.
 */
export function equalAnswers(best: RatedAnswer, rated: readonly RatedAnswer[]): EqualAnswer[] {
  const [first] = best.statements
  if (first === undefined) return []
  const equal = [best]
  for (const other of rated) {
    const [statement] = other.statements
    if (statement === undefined || equal.length >= maximumEqual || other.rank < best.rank - closeRank) continue
    const apart = scopesOf(statement)[0] !== scopesOf(first)[0] || statement.passage.sourceId !== first.passage.sourceId
    const known = equal.some(({ statements: [one] }) => one === statement || one?.passage === statement.passage)
    const likeness = alike(first, statement)
    if (
      apart &&
      !known &&
      statement.text !== first.text &&
      other.coverage >= best.coverage - closeCoverage &&
      likeness >= closeWords
    )
      equal.push(other)
  }
  if (equal.length === 1) return [{ answer: best, apart: '' }]
  const scopes = equal.map(({ statements: [one] }) => (one === undefined ? [] : scopesOf(one)))
  return equal.map((answer, position) => ({
    answer,
    apart:
      scopes[position]?.find((scope) =>
        scopes.every((others, other) => other === position || !others.includes(scope)),
      ) ?? '',
  }))
}
