import type { Passage } from '@parley/contract/knowledge-passage'
import { splitQuestions } from '../answer-question.ts'
import { withoutGreeting } from '../intents.ts'
import type { ConversationReading } from '../read-messages.ts'
import { addressesModel } from './addresses-model.ts'
import { asksSomething, tellsNeed } from './asks.ts'
import { type EqualAnswer, equalAnswers } from './equal-answers.ts'
import { type Certainty, judgeAnswer } from './judge-answer.ts'
import { nearWords } from './languages.ts'
import { phraseAnswer, sourceNote } from './phrase-answer.ts'
import { type RatedAnswer, rateStatements } from './rate-statements.ts'
import { readPassage, type Statement } from './read-passage.ts'
import { completed, continues, type Question, readQuestion } from './read-question.ts'

/** What the passages of a request say about a message. */
export interface PassageAnswer {
  /** Sentences with the source named once; a near answer says first that it is not exactly what was asked. */
  readonly text: string
  readonly certainty: Certainty
  /** 0 to 1: the share of the question that they are about. */
  readonly coverage: number
}

const maximumPassages = 10
/** Answers that rank lower than the best by more are not looked at. */
const comparedRank = 0.12

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
  const wanted = readQuestion(`${previous} ${message}`).slots.map(({ word }) => word.folded)
  const read = passages.slice(0, maximumPassages).map((passage) => readPassage(passage, wanted))
  const asks = asksSomething(message) || tellsNeed(message)
  const parts: Part[] = []
  const near: Part[] = []
  let before = previous
  for (const part of splitQuestions(withoutGreeting(message) || message)) {
    const found = readingsOf(part, before).flatMap((question) => judge(question, read, asks))
    before = part
    const best = found.find(({ certainty }) => certainty === 'sure') ?? found[0]
    if (best === undefined) continue
    const { question, rated, answer } = best
    if (best.certainty === 'near') near.push({ answer, apart: '', question })
    else for (const equal of equalAnswers(answer, rated)) parts.push({ ...equal, question })
  }
  const sure = parts.length > 0
  const told = sure ? parts : near
  const [first] = told
  if (first === undefined) return null
  const text = tell(told, { read, sure })
  return {
    text: sure ? text : `${nearWords[first.question.language]} ${text}`,
    certainty: sure ? 'sure' : 'near',
    coverage: Math.min(...told.map(({ answer }) => answer.coverage)),
  }
}

/** The best answers without such as speak to a model: those are neither followed nor told. */
function fitToTell(rated: readonly RatedAnswer[]): RatedAnswer[] {
  const fit: RatedAnswer[] = []
  for (const answer of rated) {
    const [best] = fit
    if (best !== undefined && answer.rank < best.rank - comparedRank) break
    if (!answer.statements.some(({ text, label }) => addressesModel(text) || addressesModel(label))) fit.push(answer)
  }
  return fit
}

/** Answers what was said last from the passages that were found for it. */
export function answerFromDocuments({ current, exchanges, passages }: ConversationReading): PassageAnswer | null {
  return answerFromPassages(current?.said ?? '', exchanges.at(-2)?.said ?? '', passages ?? [])
}

/** How a message can be meant, the likelier first: what seems to go on from the message before may also stand for itself. */
function readingsOf(message: string, previous: string): readonly Question[] {
  const question = readQuestion(message)
  if (previous === '' || !continues(message, question)) return [question]
  return [completed(question, readQuestion(previous), message), question]
}

interface Judged {
  readonly question: Question
  readonly answer: RatedAnswer
  readonly rated: readonly RatedAnswer[]
  readonly certainty: Certainty
}

/** The best answer to one reading of a message; none when nothing of it is there. */
function judge(question: Question, read: readonly (readonly Statement[])[], asks: boolean): Judged[] {
  // A name alone is an answer to something or no message at all.
  if (!asks && question.slots.every(({ kind }) => kind !== 'topic')) return []
  const rated = fitToTell(rateStatements(question, read))
  const [answer] = rated
  const certainty = answer === undefined ? null : judgeAnswer(answer, asks)
  return answer === undefined || certainty === null ? [] : [{ question, answer, rated, certainty }]
}

/** What an answer is made of. */
interface Told {
  readonly read: readonly (readonly Statement[])[]
  readonly sure: boolean
}

/** The sentence before an answer, when only it says what the answer is about. */
function leadingStatement({ statements, fromBefore }: RatedAnswer, { read, sure }: Told): Statement | null {
  const [first] = statements
  if (first === undefined || first.cells.length > 0) return null
  if (
    !(sure && fromBefore.length > 0) &&
    !/^(?:it|they|this|these|that|he|she|es|sie|er|dies\p{L}*|il|elle|ils|elles|cela)\b/iu.test(first.text)
  )
    return null
  const own = read.find((statements) => statements.includes(first)) ?? []
  const before = own[first.position - 1]
  const leads = before !== undefined && before.group === first.group && before.text.length <= 250
  return leads && !addressesModel(before.text) ? before : null
}

function tell(parts: readonly Part[], told: Told): string {
  const sentences: string[] = []
  let said = ''
  for (const [position, { question, answer, apart }] of parts.entries()) {
    const text = phraseAnswer(answer, question, { before: leadingStatement(answer, told), apart })
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
