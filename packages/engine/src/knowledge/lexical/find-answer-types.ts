import { ANSWER_TYPES } from './answer-types.ts'
import { foldMarks, lowerCase } from './fold-text.ts'

/** The terms of the kinds of facts that a passage shows. */
export function answerTypesIn(text: string): string[] {
  const folded = foldMarks(lowerCase(text))
  return ANSWER_TYPES.filter(({ shown }) => shown.test(folded)).map(({ term }) => term)
}

/** The terms of the kinds of facts that a question asks for. */
export function answerTypesFor(question: string): string[] {
  const folded = foldMarks(lowerCase(question))
  return ANSWER_TYPES.filter(({ asked }) => asked.test(folded)).map(({ term }) => term)
}
