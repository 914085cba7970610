import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import {
  type CorpusPassage,
  calculateShare,
  containsAnswer,
  getUserText,
  HARD_QUESTION_RATIO,
} from './corpus-passages.ts'
import type { AnswerableQuestion } from './question.ts'

/** Finds passages for the user's messages, newest first; the best passage comes first. */
export type FindPassages = (userTexts: readonly WeightedText[]) => readonly CorpusPassage[]

/** The result of a search for one question. */
export interface MeasuredQuestion {
  readonly question: AnswerableQuestion
  /** Rank of the passage with the answer, from 1; `null` if it was not found. */
  readonly rank: number | null
  /** Share of the question's content words that the passage contains. */
  readonly share: number
}

/** Builds the search texts of a conversation from a question and the previous message. */
export function buildWeightedTexts({
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
  findPassages: FindPassages,
): MeasuredQuestion[] {
  return measureRanks(questions, passages, (question) => findPassages(buildWeightedTexts(question)))
}

function measureRanks(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  findPassages: (question: AnswerableQuestion) => readonly CorpusPassage[],
): MeasuredQuestion[] {
  return questions.map((question) => {
    const rank = findPassages(question).findIndex((passage) => containsAnswer(passage, question)) + 1
    return { question, rank: rank === 0 ? null : rank, share: calculateShare(question, passages) }
  })
}

/** Runs an asynchronous search for every question and records the rank of its passage. */
export async function measureQuestions(
  questions: readonly AnswerableQuestion[],
  passages: readonly CorpusPassage[],
  findPassages: (question: AnswerableQuestion) => Promise<readonly CorpusPassage[]>,
): Promise<MeasuredQuestion[]> {
  const passagesByQuestion = new Map<AnswerableQuestion, readonly CorpusPassage[]>()
  for (const question of questions) passagesByQuestion.set(question, await findPassages(question))
  return measureRanks(questions, passages, (question) => passagesByQuestion.get(question) ?? [])
}

/** Returns the results of questions that share few words with their passage. */
function filterHardQuestions(measured: readonly MeasuredQuestion[]): MeasuredQuestion[] {
  return measured.filter(({ share }) => share <= HARD_QUESTION_RATIO)
}

/** Returns the share (0 to 1) of questions with their passage among the first `topRanks`. */
export function calculateRecall(measured: readonly MeasuredQuestion[], topRanks: number): number {
  return measured.filter(({ rank }) => rank !== null && rank <= topRanks).length / measured.length
}

/** Formats the statistics of a set. `listsMisses` adds the missed questions. */
export function formatReport(name: string, measured: readonly MeasuredQuestion[], listsMisses: boolean): string {
  const formatRecall = (label: string, subset: readonly MeasuredQuestion[]): string => {
    const parts = [1, 3, 10].map(
      (topRanks) => `first ${topRanks}: ${(calculateRecall(subset, topRanks) * 100).toFixed(1)} %`,
    )
    return `${label} (${subset.length}): ${parts.join(', ')}`
  }
  const hardResults = filterHardQuestions(measured)
  const misses = listsMisses ? measured.filter(({ rank }) => rank === null || rank > 3) : []
  return [
    formatRecall(name, measured),
    formatRecall(`${name}, few words in common`, hardResults),
    formatRecall(
      `${name}, others`,
      measured.filter((result) => !hardResults.includes(result)),
    ),
    formatRecall(
      `${name}, follow-ups`,
      measured.filter(({ question }) => question.previous !== null),
    ),
    ...misses.map(({ question, rank, share }) => {
      return `  at ${rank ?? '-'}, ${(share * 100).toFixed(0)} % shared: ${getUserText(question)} -> ${question.document}: ${question.snippet}`
    }),
  ].join('\n')
}
