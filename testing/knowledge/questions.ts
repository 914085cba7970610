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

/** For tuning rules and weights. */
export const tuning: QuestionSet = { answerable: tuningQuestions, unanswerable: tuningUnanswerable }

/** For measurement only, never for tuning. */
export const unseen: QuestionSet = { answerable: unseenQuestions, unanswerable: unseenUnanswerable }

/** For measurement only, written separately. Do not read single questions while you tune the search. */
export const heldOut: QuestionSet = {
  answerable: heldOutAnswerable,
  unanswerable: Object.values(heldOutUnanswerable).flat(),
}
