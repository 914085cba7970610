import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { answers, type CorpusPassage, HARD_QUESTION_RATIO, shareOf, userText } from './corpus-passages.ts'
import type { AnswerableQuestion } from './question.ts'

/** Finds passages for what was said, newest first; the best passage comes first. */
export type FindPassages = (userTexts: readonly WeightedText[]) => readonly CorpusPassage[]

/** How a search did on one question. */
export interface MeasuredQuestion {
  readonly question: AnswerableQuestion
  /** Place of the passage that answers, from 1; `null` when it was not found. */
  readonly rank: number | null
  /** Part of the question's content words that stands in that passage. */
  readonly share: number
}

/** What is searched for, as a conversation makes it of the question and what was said before it. */
export function weightedTexts({
  question,
  previous,
}: Pick<AnswerableQuestion, 'question' | 'previous'>): readonly WeightedText[] {
  const userTexts = previous === null ? [question] : [previous, question]
  return buildQuery(userTexts.map((content) => ({ role: 'user', content })))
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
  findFor: (question: AnswerableQuestion) => readonly CorpusPassage[],
): MeasuredQuestion[] {
  return questions.map((question) => {
    const rank = findFor(question).findIndex((passage) => answers(passage, question)) + 1
    return { question, rank: rank === 0 ? null : rank, share: shareOf(question, passages) }
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
function hardQuestions(measured: readonly MeasuredQuestion[]): MeasuredQuestion[] {
  return measured.filter(({ share }) => share <= HARD_QUESTION_RATIO)
}

/** Which part (0 to 1) has its passage among the first `places`. */
export function ratioFoundWithin(measured: readonly MeasuredQuestion[], topRanks: number): number {
  return measured.filter(({ rank }) => rank !== null && rank <= topRanks).length / measured.length
}

/** Figures of a half for people; `listsMisses` for the half that may be looked at. */
export function formatReport(name: string, measured: readonly MeasuredQuestion[], listsMisses: boolean): string {
  const formatRecall = (what: string, subset: readonly MeasuredQuestion[]): string => {
    const parts = [1, 3, 10].map(
      (topRanks) => `first ${topRanks}: ${(ratioFoundWithin(subset, topRanks) * 100).toFixed(1)} %`,
    )
    return `${what} (${subset.length}): ${parts.join(', ')}`
  }
  const hard = hardQuestions(measured)
  const misses = listsMisses ? measured.filter(({ rank }) => rank === null || rank > 3) : []
  return [
    formatRecall(name, measured),
    formatRecall(`${name}, few words in common`, hard),
    formatRecall(
      `${name}, others`,
      measured.filter((one) => !hard.includes(one)),
    ),
    formatRecall(
      `${name}, follow-ups`,
      measured.filter(({ question }) => question.previous !== null),
    ),
    ...misses.map(({ question, rank, share }) => {
      return `  at ${rank ?? '-'}, ${(share * 100).toFixed(0)} % shared: ${userText(question)} -> ${question.document}: ${question.snippet}`
    }),
  ].join('\n')
}
