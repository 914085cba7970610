import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { answers, type CorpusPassage, HARD_QUESTION_RATIO, shareOf, userText } from './corpus-passages.ts'
import type { AnswerableQuestion } from './question.ts'

/** Finds passages for the user's messages, newest first; the best passage comes first. */
export type FindPassages = (userTexts: readonly WeightedText[]) => readonly CorpusPassage[]

/** The result of a search for one question. */
export interface MeasuredQuestion {
  readonly question: AnswerableQuestion
  /** Rank of the passage with the answer, from 1; `null` when it was not found. */
  readonly rank: number | null
  /** The share of the question's content words that the passage has. */
  readonly share: number
}

/** The search texts that a conversation makes from a question and the message before it. */
export function weightedTexts({
  question,
  previous,
}: Pick<AnswerableQuestion, 'question' | 'previous'>): readonly WeightedText[] {
  const userTexts = previous === null ? [question] : [previous, question]
  return buildQuery(userTexts.map((content) => ({ role: 'user', content })))
}

/** Searches for every question and records the rank of its passage. */
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

/** The same for an asynchronous search. */
export async function measureQuestions(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  find: (question: AnswerableQuestion) => Promise<readonly CorpusPassage[]>,
): Promise<MeasuredQuestion[]> {
  const found = new Map<AnswerableQuestion, readonly CorpusPassage[]>()
  for (const question of questions) found.set(question, await find(question))
  return measureFound(questions, passages, (question) => found.get(question) ?? [])
}

/** Results of questions that share few words with their passage. */
function hardQuestions(measured: readonly MeasuredQuestion[]): MeasuredQuestion[] {
  return measured.filter(({ share }) => share <= HARD_QUESTION_RATIO)
}

/** The share (0 to 1) of questions with their passage among the first `places`. */
export function ratioFoundWithin(measured: readonly MeasuredQuestion[], topRanks: number): number {
  return measured.filter(({ rank }) => rank !== null && rank <= topRanks).length / measured.length
}

/** Stats of a set as text. `listsMisses` lists the missed questions. */
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
