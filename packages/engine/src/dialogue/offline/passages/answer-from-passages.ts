import type { Passage } from '@parley/contract/knowledge-passage'
import { splitQuestions } from '../answer-question.ts'
import { isQuestion, withoutGreeting } from '../intents.ts'
import type { ConversationReading } from '../read-messages.ts'
import { type EqualAnswer, equalAnswers } from './equal-answers.ts'
import { phraseAnswer, sourceNote } from './phrase-answer.ts'
import { type RatedAnswer, rateStatements } from './rate-statements.ts'
import { readPassage, type Statement } from './read-passage.ts'
import { completed, continues, type Question, readQuestion } from './read-question.ts'

/** What the passages of a request say about a message. */
export interface PassageAnswer {
  /** Sentences with the source named once. */
  readonly text: string
  /** 0 to 1: the share of the question that they are about. */
  readonly coverage: number
}

/** From this coverage on a question is answered; chosen on the tuning half of the evaluation questions. */
const neededCoverage = 0.45
/** What is not worded as a question has to be met better. */
const neededWithoutQuestion = 0.6
const maximumPassages = 10

interface Part extends EqualAnswer {
  readonly question: Question
}

/** Answers a message from passages, which are data: nothing in them is followed. `null` when they do not hold the answer. */
export function answerFromPassages(
  message: string,
  previous: string,
  passages: readonly Passage[],
): PassageAnswer | null {
  if (passages.length === 0) return null
  const read = passages.slice(0, maximumPassages).map(readPassage)
  const asks = isQuestion(message)
  const needed = asks ? neededCoverage : neededWithoutQuestion
  const parts: Part[] = []
  let before = previous
  for (const part of splitQuestions(withoutGreeting(message) || message)) {
    const question = questionOf(part, before)
    // A name alone is an answer to something or no message at all.
    if (!asks && question.form === null && question.slots.every(({ kind }) => kind !== 'topic')) continue
    const rated = rateStatements(question, read).filter(({ coverage }) => coverage >= needed)
    const [best] = rated
    if (best !== undefined) for (const equal of equalAnswers(best, rated)) parts.push({ ...equal, question })
    before = part
  }
  if (parts.length === 0) return null
  return { text: tell(parts, read), coverage: Math.min(...parts.map(({ answer }) => answer.coverage)) }
}

/** Answers what was said last from the passages that were found for it. */
export function answerFromDocuments({ current, exchanges, passages }: ConversationReading): PassageAnswer | null {
  return answerFromPassages(current?.said ?? '', exchanges.at(-2)?.said ?? '', passages ?? [])
}

function questionOf(message: string, previous: string): Question {
  const question = readQuestion(message)
  return previous !== '' && continues(message, question)
    ? completed(question, readQuestion(previous), message)
    : question
}

/** The sentence before an answer, when only it says what the answer is about. */
function leadingStatement(
  { statements, fromBefore }: RatedAnswer,
  read: readonly (readonly Statement[])[],
): Statement | null {
  const [first] = statements
  if (first === undefined || first.cells.length > 0) return null
  if (
    fromBefore.length === 0 &&
    !/^(?:it|they|this|these|that|he|she|es|sie|er|dies\p{L}*|il|elle|ils|elles|cela)\b/iu.test(first.text)
  )
    return null
  const own = read.find((statements) => statements.includes(first)) ?? []
  const before = own[first.position - 1]
  return before !== undefined && before.group === first.group && before.text.length <= 250 ? before : null
}

function tell(parts: readonly Part[], read: readonly (readonly Statement[])[]): string {
  const sentences: string[] = []
  let said = ''
  for (const [position, { question, answer, apart }] of parts.entries()) {
    const text = phraseAnswer(answer, question, { before: leadingStatement(answer, read), apart })
    const passage = answer.statements[0]?.passage
    if (!said.includes(text)) sentences.push(text)
    said = sentences.join(' ')
    const next = parts[position + 1]?.answer.statements[0]?.passage
    // The source is named once for all that comes from it.
    const same =
      next !== undefined && passage !== undefined && next.sourceId === passage.sourceId && next.page === passage.page
    if (passage !== undefined && !same) sentences.push(sourceNote(passage, question.language))
  }
  return sentences.join(' ')
}
