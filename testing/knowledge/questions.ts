import { heldOutAnswerable, heldOutUnanswerable } from './held-out-questions.ts'
import type { AnswerableQuestion, UnanswerableQuestion } from './question.ts'
import { tuningQuestions } from './tuning-questions.ts'
import { tuningUnanswerable, unseenUnanswerable } from './unanswerable-questions.ts'
import { unseenQuestions } from './unseen-questions.ts'

/** Questions to measure an index and a search with. */
export interface QuestionSet {
  readonly answerable: readonly AnswerableQuestion[]
  readonly unanswerable: readonly UnanswerableQuestion[]
}

/** What may be looked at while rules and weights are fitted. */
export const tuning: QuestionSet = { answerable: tuningQuestions, unanswerable: tuningUnanswerable }

/** What only measures: no rule and no weight is fitted to it. */
export const unseen: QuestionSet = { answerable: unseenQuestions, unanswerable: unseenUnanswerable }

/** What only judges: written apart from the halves, and nobody looks at single questions of it while working on a search. */
export const heldOut: QuestionSet = {
  answerable: heldOutAnswerable,
  unanswerable: Object.values(heldOutUnanswerable).flat(),
}
