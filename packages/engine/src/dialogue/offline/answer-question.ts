import { trimEndMarks } from './cut-text.ts'
import type { FactIndex } from './fact-index.ts'
import { isQuestion, withoutGreeting } from './intents.ts'
import { type FoundFact, searchFacts } from './search-facts.ts'
import { shorten } from './split-sentences.ts'
import { contentTerms } from './tokenise.ts'

/** What the prompt says about a message. */
export interface FactAnswer {
  readonly text: string
  /** 0 to 1; from `sureCoverage` on the answer is given as it is. */
  readonly coverage: number
}

/** From this share of the question’s weight on (chosen on the test prompts) a fact is given as the answer. */
export const sureCoverage = 0.45
/** Below this coverage a fact is no answer; up to `sureCoverage` it is given with a reservation. */
export const possibleCoverage = 0.3
const maximumParts = 3

/** Cuts a message that asks several things into its questions. */
export function splitQuestions(message: string): string[] {
  const parts = message
    .slice(0, 2_000)
    .split(
      /(?<=[?？])|(?<=\s)(?:and|und|et|y) (?=(?:do|does|is|are|can|could|what|when|where|how|who|which|will|wann|wo|was|wie)\b)/i,
    )
    .map((part) => trimEndMarks(part, ',').trimStart())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
  const questions = parts.filter((part) => parts.length === 1 || isQuestion(part))
  return (questions.length > 0 ? questions : parts).slice(0, maximumParts)
}

/** A second fact is added when it covers words of the question that the first leaves open, or fits nearly as well. */
function complement(found: readonly FoundFact[]): FoundFact[] {
  const [first, ...others] = found
  if (first === undefined) return []
  const second = others.find(
    (other) =>
      !first.fact.text.includes(other.fact.text) &&
      !other.fact.text.includes(first.fact.text) &&
      other.score > first.score * 0.55 &&
      ([...other.covered].some((slot) => !first.covered.has(slot)) ||
        (other.score > first.score * 0.85 && other.coverage >= first.coverage * 0.9)),
  )
  if (second === undefined) return [first]
  const third = others.find((other) => other !== second && first.covered.size === 1 && other.score > first.score * 0.85)
  return third === undefined ? [first, second] : [first, second, third]
}

/** Answers a message from facts; follow-up questions are read with what the user said before. `null` when nothing fits. */
export function answerFromFacts(message: string, previous: string, indexes: readonly FactIndex[]): FactAnswer | null {
  const sentences: string[] = []
  const coverages: number[] = []
  for (const part of splitQuestions(withoutGreeting(message) || message)) {
    let found = searchFacts(part, indexes, 6)
    const terms = contentTerms(part).length
    const elliptical =
      /^(?:and|what about|how about|und|et|y)\b/i.test(part) ||
      (terms <= 2 && /\b(?:it|that|they|them|there|this|those|one)\b/i.test(part))
    if (elliptical && previous !== '' && (found[0]?.coverage ?? 0) < 0.75) {
      const together = searchFacts(`${previous} ${part}`, indexes, 6).filter(
        ({ coverage }) => coverage >= possibleCoverage,
      )
      const own = new Set(found.map(({ fact }) => fact))
      found =
        together.length > 0 && (found.length === 0 || together.some(({ fact }) => own.has(fact)))
          ? together.filter(({ fact }) => found.length === 0 || own.has(fact))
          : found
    }
    if (found[0] === undefined || found[0].coverage < possibleCoverage) continue
    coverages.push(found[0].coverage)
    for (const { fact } of complement(found)) if (!sentences.includes(fact.text)) sentences.push(fact.text)
  }
  if (sentences.length === 0) return null
  return { text: shorten(sentences.slice(0, 4).join(' '), 900), coverage: Math.min(...coverages) }
}
