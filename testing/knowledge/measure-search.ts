import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { answers, type CorpusPassage, HARD_SHARE, saidIn, shareOf } from './corpus-passages.ts'
import type { AnswerableQuestion } from './question.ts'

/** Finds passages for what was said, newest first; the best passage comes first. */
export type FindPassages = (said: readonly WeightedText[]) => readonly CorpusPassage[]

/** How a search did on one question. */
export interface MeasuredQuestion {
  readonly question: AnswerableQuestion
  /** Place of the passage that answers, from 1; `null` when it was not found. */
  readonly place: number | null
  /** Part of the question's content words that stands in that passage. */
  readonly share: number
}

/** What is searched for, as a conversation makes it of the question and what was said before it. */
export function weightedTexts({
  question,
  previous,
}: Pick<AnswerableQuestion, 'question' | 'previous'>): readonly WeightedText[] {
  const said = previous === null ? [question] : [previous, question]
  return buildQuery(said.map((content) => ({ role: 'user', content })))
}

/** Asks every question and notes where the passage came that answers it. */
export function measureSearch(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  find: FindPassages,
): MeasuredQuestion[] {
  return measureFound(questions, passages, (question) => find(weightedTexts(question)))
}

function measureFound(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  foundFor: (question: AnswerableQuestion) => readonly CorpusPassage[],
): MeasuredQuestion[] {
  return questions.map((question) => {
    const place = foundFor(question).findIndex((passage) => answers(passage, question)) + 1
    return { question, place: place === 0 ? null : place, share: shareOf(question, passages) }
  })
}

/** The same for a search that takes its time. */
export async function measureQuestions(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  find: (question: AnswerableQuestion) => Promise<readonly CorpusPassage[]>,
): Promise<MeasuredQuestion[]> {
  const found = new Map<AnswerableQuestion, readonly CorpusPassage[]>()
  for (const question of questions) found.set(question, await find(question))
  return measureFound(questions, passages, (question) => found.get(question) ?? [])
}

/** Those that share few words with their passage. */
function hardOnes(measured: readonly MeasuredQuestion[]): MeasuredQuestion[] {
  return measured.filter(({ share }) => share <= HARD_SHARE)
}

/** Which part (0 to 1) has its passage among the first `places`. */
export function foundWithin(measured: readonly MeasuredQuestion[], places: number): number {
  return measured.filter(({ place }) => place !== null && place <= places).length / measured.length
}

/** Figures of a half for people; `listsMisses` for the half that may be looked at. */
export function reportOf(name: string, measured: readonly MeasuredQuestion[], listsMisses: boolean): string {
  const figures = (what: string, some: readonly MeasuredQuestion[]): string => {
    const parts = [1, 3, 10].map((places) => `first ${places}: ${(foundWithin(some, places) * 100).toFixed(1)} %`)
    return `${what} (${some.length}): ${parts.join(', ')}`
  }
  const hard = hardOnes(measured)
  const misses = listsMisses ? measured.filter(({ place }) => place === null || place > 3) : []
  return [
    figures(name, measured),
    figures(`${name}, few words in common`, hard),
    figures(
      `${name}, others`,
      measured.filter((one) => !hard.includes(one)),
    ),
    figures(
      `${name}, follow-ups`,
      measured.filter(({ question }) => question.previous !== null),
    ),
    ...misses.map(({ question, place, share }) => {
      return `  at ${place ?? '-'}, ${(share * 100).toFixed(0)} % shared: ${saidIn(question)} -> ${question.document}: ${question.snippet}`
    }),
  ].join('\n')
}
