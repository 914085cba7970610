import type { RatedAnswer } from './rate-statements.ts'

/**
 * How sure an answer is. `sure`: it is about what is named, shows what is asked for and covers the question. `near`: it is about what
 * is named, and what is asked for is not surely there.
 */
export type Certainty = 'sure' | 'near'

/** Chosen on the tuning half of the evaluation questions and on the examples beside this file. */
const sureCoverage = 0.6
const sureCoverageWithGaps = 0.7
const nearCoverage = 0.3
const nearCoverageOfNamed = 0.2
/** What is not worded as a question has to be met better. */
const addedWithoutQuestion = 0.15

/** Judges an answer; `null` for what is not worth telling. */
export function judgeAnswer({ coverage, signs }: RatedAnswer, asks: boolean): Certainty | null {
  const added = asks ? 0 : addedWithoutQuestion
  const { form, topic, names, misses, lacksThing, plain } = signs
  const needed = added + (misses ? sureCoverageWithGaps : sureCoverage)
  if (form > 0 && !lacksThing && (plain || (coverage >= needed && (topic >= 0.5 || names > 0)))) return 'sure'
  // What only names are asked of is about the right thing, even where the rest is worded in another way.
  const about = topic >= 0.6 || (names > 0 && !misses)
  return about && coverage >= (names > 0 && form > 0 ? nearCoverageOfNamed : nearCoverage) + added ? 'near' : null
}
