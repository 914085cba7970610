import { answerFromFacts, sureCoverage } from './answer-question.ts'
import {
  composeGoodbye,
  composeGreeting,
  composeIdentity,
  composeRefusal,
  composeThanks,
  composeUnknown,
  topicsOf,
} from './compose-reply.ts'
import { describeResult } from './describe-result.ts'
import { findName } from './extract-values.ts'
import { indexFacts } from './fact-index.ts'
import { nextInstructed } from './follow-instructions.ts'
import { type Intent, isQuestion, polarityOf, withoutGreeting } from './intents.ts'
import type { Knowledge } from './knowledge.ts'
import type { ConversationReading } from './read-messages.ts'
import { readPrompt } from './read-prompt.ts'
import { contentTerms } from './tokenise.ts'

function describeResults(reading: ConversationReading): string {
  const question = reading.current?.said ?? ''
  const replies = reading.freshResults
    .filter((result) => !/^(?:transition|end_|hang|extract|collect|capture|record|store)_?/i.test(result.name))
    .slice(-4)
    .map((result) => describeResult(result.content, question))
  const texts = [...new Set(replies.map((reply) => reply.text))]
  if (
    reading.freshResults.some((result) => /transfer|handoff|escalate/i.test(result.name)) &&
    replies.every((reply) => !reply.failed)
  )
    return 'One moment, please.'
  if (replies.some((reply) => !reply.failed)) return texts.join(' ')
  return texts.slice(0, 1).join(' ')
}

/** Follow-up questions may be about what a tool told before. */
function answerFromEarlierResults(message: string, results: readonly string[]): string | null {
  if (!isQuestion(message)) return null
  for (const content of results) {
    const described = describeResult(content, message)
    if (described.failed) continue
    const answer = answerFromFacts(message, '', [indexFacts(readPrompt(described.text).facts)])
    if (answer !== null && answer.coverage >= 0.6) return answer.text
  }
  return null
}

function smallTalk(reading: ConversationReading, knowledge: Knowledge, intents: ReadonlySet<Intent>): string | null {
  const message = reading.current?.said ?? ''
  if (intents.has('reveal')) return composeRefusal(topicsOf(knowledge.readings))
  if (intents.has('goodbye')) return composeGoodbye(knowledge.identity)
  if (intents.has('identity')) return composeIdentity(knowledge.identity, message)
  if (intents.has('how-are-you')) return 'I am doing well, thank you. How can I help you?'
  return null
}

function notFound(reading: ConversationReading, knowledge: Knowledge, intents: ReadonlySet<Intent>): string {
  const message = reading.current?.said ?? ''
  const known = reading.exchanges.map((exchange) => findName(exchange.said)).some((found) => found !== null)
  const instructions = knowledge.readings.findLast((one) => one.instructions.length > 0)?.instructions ?? []
  const instructed = nextInstructed(
    instructions,
    known ? [...reading.said, 'Could you tell me your name?'] : reading.said,
  )
  const rest = withoutGreeting(message)
  const asked = isQuestion(rest) && rest !== ''
  if (intents.has('person')) {
    const contact = answerFromFacts('phone number contact', '', knowledge.indexes)
    return `I am sorry, I cannot put you through to a person here.${contact === null ? ' Is there something I can help you with?' : ` ${contact.text}`}`
  }
  if (intents.has('thanks') && contentTerms(rest).length <= 2) return composeThanks()
  if (rest === '' && instructed === null) return composeGreeting(knowledge.identity, reading.said.length === 0)
  if (!asked && instructed !== null) {
    if (rest !== '') return instructed
    return reading.said.length === 0 && knowledge.identity.introduction !== null
      ? `Hello! ${knowledge.identity.introduction} ${instructed}`
      : `Hello! ${instructed}`
  }
  if (intents.has('cancel')) return 'All right. Is there anything else I can help you with?'
  const name = intents.has('introduction') ? findName(message) : null
  if (name !== null && !asked) return `Nice to meet you, ${name}. How can I help you?`
  const polarity = polarityOf(message)
  if (!asked && polarity !== null && contentTerms(rest).length <= 2) {
    return polarity === 'yes'
      ? 'Great. What would you like to know?'
      : 'All right. Is there anything else I can help you with?'
  }
  return composeUnknown(topicsOf(knowledge.readings), { asked, lastSaid: reading.current?.asked ?? '' })
}

/** The reply when no tool is called: results of tools first, then small talk, facts, instructions, and a question back. */
export function replyInWords(reading: ConversationReading, knowledge: Knowledge, intents: ReadonlySet<Intent>): string {
  const told = reading.freshResults.length > 0 ? describeResults(reading) : ''
  if (told !== '') return told
  const message = reading.current?.said ?? ''
  if (message.trim() === '') {
    const instructed = nextInstructed(knowledge.readings.at(-1)?.instructions ?? [], reading.said)
    if (instructed !== null) return instructed
    return reading.said.length === 0
      ? composeGreeting(knowledge.identity, true)
      : 'Is there anything else I can help you with?'
  }
  const talk = smallTalk(reading, knowledge, intents)
  if (talk !== null) return talk
  const previous = reading.exchanges.at(-2)?.said ?? ''
  const thanking = intents.has('thanks') && !isQuestion(message)
  const answer =
    thanking || contentTerms(withoutGreeting(message)).length + Number(isQuestion(message)) === 0
      ? null
      : answerFromFacts(message, previous, knowledge.indexes)
  if (answer !== null && answer.coverage >= sureCoverage) return answer.text
  const earlier = answerFromEarlierResults(message, reading.earlierResults)
  if (earlier !== null) return earlier
  if (answer !== null && isQuestion(message)) return `I do not have an exact answer, but this may help: ${answer.text}`
  return notFound(reading, knowledge, intents)
}
