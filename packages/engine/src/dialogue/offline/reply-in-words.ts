import { answerFromFacts, sureCoverage } from './answer-question.ts'
import { plainFieldsAskedFor } from './asked-fields.ts'
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
import { extractValues, findName } from './extract-values.ts'
import { indexFacts } from './fact-index.ts'
import { nextInstructed } from './follow-instructions.ts'
import { type Intent, intentsOf, isQuestion, polarityOf, withoutGreeting } from './intents.ts'
import type { Knowledge } from './knowledge.ts'
import { answerFromDocuments } from './passages/answer-from-passages.ts'
import { asksSomething, tellsNeed } from './passages/asks.ts'
import { languageOf, nearWords } from './passages/languages.ts'
import { composeNotInDocuments } from './passages/phrase-answer.ts'
import { type Instructed, performStep } from './perform-instructions.ts'
import { readAnswer } from './read-answer.ts'
import type { ConversationReading } from './read-messages.ts'
import { readPrompt } from './read-prompt.ts'
import { contentTerms } from './tokenise.ts'

/** Whether a result only says that something was noted or somebody went on, which nobody needs to hear. */
export function isQuietResult({ name, content }: ConversationReading['freshResults'][number]): boolean {
  return (
    /^(?:transition|end_|hang|extract|collect|capture|record|store)_?/i.test(name) ||
    /^(?:stored: |nothing was stored)/i.test(content)
  )
}

const handOver = /transfer|hand_?off|escalat|swap/i

function describeResults(reading: ConversationReading): string {
  const question = reading.current?.said ?? ''
  const results = reading.freshResults.filter((result) => !isQuietResult(result)).slice(-4)
  const replies = results.map((result) => describeResult(result.content, question))
  const texts = [...new Set(replies.map((reply) => reply.text))]
  if (results.some(({ name, content }) => handOver.test(name) || /\bhanded over\b/i.test(content))) {
    if (replies.every((reply) => !reply.failed)) return 'One moment, please.'
    return 'I am sorry, I cannot put you through from here. Is there something I can help you with?'
  }
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

function notFound(
  reading: ConversationReading,
  knowledge: Knowledge,
  { intents, step }: { readonly intents: ReadonlySet<Intent>; readonly step: Instructed },
): string {
  const message = reading.current?.said ?? ''
  const known = reading.exchanges.map((exchange) => findName(exchange.said)).some((found) => found !== null)
  const said = known ? [...reading.said, 'Could you tell me your name?'] : reading.said
  const instructed = step.leads ? null : nextInstructed(instructionsOf(knowledge), said)
  const rest = withoutGreeting(message)
  const asked = isQuestion(rest) && rest !== ''
  // Who has taken over is who was asked for.
  if (reading.handedOver && instructed === null && (!asked || intents.has('person')))
    return composeIdentity(knowledge.identity, '')
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
  if (reading.passages !== null && rest !== '' && (asksSomething(rest) || tellsNeed(rest)))
    return composeNotInDocuments(reading.passages, languageOf(rest), reading.current?.asked ?? '')
  return composeUnknown(topicsOf(knowledge.readings), { asked, lastSaid: reading.current?.asked ?? '' })
}

/** What is told of results that no answer followed yet. Of tools that are not offered here the present step decides. */
function tellResults(reading: ConversationReading, step: Instructed, offered: readonly string[]): string {
  if (reading.freshResults.length === 0) return ''
  const own = reading.freshResults.some(({ name }) => offered.includes(name))
  if (!own && step.text !== null) return step.text
  return describeResults(reading)
}

/** What is asked while something else is answered: "We open at 9. What is your name?" */
function withStep(text: string, { text: wanted, repeated }: Instructed): string {
  const next = wanted ?? repeated
  return next === null || text.endsWith('?') ? text : `${text} ${next}`
}

/** The reply when no tool is called: results first, then small talk, facts, what the step of the conversation wants, and a question back. */
export function replyInWords(
  reading: ConversationReading,
  knowledge: Knowledge,
  { intents, offered }: { readonly intents: ReadonlySet<Intent>; readonly offered: readonly string[] },
): string {
  const step = performStep(reading, knowledge)
  const told = tellResults(reading, step, offered)
  if (told !== '') return told
  const message = reading.current?.said ?? ''
  if (message.trim() === '') {
    const instructed = step.text ?? nextInstructed(knowledge.readings.at(-1)?.instructions ?? [], reading.said)
    if (instructed !== null) return instructed
    return reading.said.length === 0
      ? composeGreeting(knowledge.identity, true)
      : 'Is there anything else I can help you with?'
  }
  if (step.farewell && step.text !== null && !intents.has('reveal')) return step.text
  // "That is all" also ends an order, after which the conversation goes on.
  const leaves =
    step.text === null || /\bbye\b|\bgood night\b|\bhang up\b|\bhave a (?:nice|good|great)\b/i.test(message)
  const talk = smallTalk(
    reading,
    knowledge,
    leaves ? intents : new Set([...intents].filter((one) => one !== 'goodbye')),
  )
  if (talk !== null) return intents.has('identity') ? withStep(talk.replace(/ How can I help you\?$/, ''), step) : talk
  return replyToMessage(reading, knowledge, { intents, step })
}

function replyToMessage(
  reading: ConversationReading,
  knowledge: Knowledge,
  { intents, step }: { readonly intents: ReadonlySet<Intent>; readonly step: Instructed },
): string {
  const message = reading.current?.said ?? ''
  const question = isQuestion(message)
  const answers = !question && /\?\s*$/.test(reading.current?.asked ?? '')
  if (step.text !== null && answers) return `${thanksFor(reading, step.text)}${step.text}`
  if (answers && step.repeated === null && givesWhatWasAsked(reading, knowledge.today)) {
    const next = step.leads ? null : nextInstructed(instructionsOf(knowledge), reading.said)
    return next === null ? 'Thank you, I have noted that.' : `Thank you. ${next}`
  }
  const previous = reading.exchanges.at(-2)?.said ?? ''
  const thanking = intents.has('thanks') && !question
  const answer =
    thanking || contentTerms(withoutGreeting(message)).length + Number(question) === 0
      ? null
      : answerFromFacts(message, previous, knowledge.indexes)
  const asking = question ? step : { ...step, repeated: null }
  const documented = thanking ? null : answerFromDocuments(reading)
  const sureness = documented?.certainty === 'sure' ? documented.coverage : 0
  if (answer !== null && answer.coverage >= Math.max(sureCoverage, sureness)) return withStep(answer.text, asking)
  const earlier = answerFromEarlierResults(message, reading.earlierResults)
  if (earlier !== null) return withStep(earlier, step)
  if (documented?.certainty === 'sure') return withStep(documented.text, asking)
  if (answer !== null && answer.coverage >= sureCoverage) return withStep(answer.text, asking)
  if (documented !== null && asksSomething(message)) return withStep(documented.text, asking)
  if (step.text !== null) return opened(step.text, reading, intents, knowledge)
  if (step.repeated !== null && !answersWithNo(message))
    return `${question ? 'I do not have that information.' : 'I am sorry, I did not catch that.'} ${step.repeated}`
  if (answer !== null && question && !(reading.handedOver && intents.has('person')))
    return `${nearWords.en} ${answer.text}`
  if (step.complete && !question && !intents.has('thanks')) return 'Thank you, I have noted that.'
  if (documented !== null && tellsNeed(message)) return documented.text
  return notFound(reading, knowledge, { intents, step })
}

/** Whether a short message is the value that the agent has just asked for, and so no question about it. */
function givesWhatWasAsked({ current }: ConversationReading, today: string | null): boolean {
  const { asked = '', said = '' } = current ?? {}
  if (said.split(/\s+/).length > 8 || intentsOf(said).size > 0) return false
  const values = extractValues(said, today)
  return plainFieldsAskedFor(asked).some((field) => readAnswer(field, said, values) !== undefined)
}

function instructionsOf({ readings }: Knowledge): readonly string[] {
  return readings.findLast((one) => one.instructions.length > 0)?.instructions ?? []
}

/** A value that was asked for is acknowledged before the next question. */
function thanksFor({ current }: ConversationReading, next: string): string {
  const polite = next.endsWith('?') && polarityOf(current?.said ?? '') === null
  return polite && !/^(?:thank|hello|great|to confirm)/i.test(next) ? 'Thank you. ' : ''
}

function answersWithNo(message: string): boolean {
  return polarityOf(message) === 'no'
}

/** A greeting is returned before anything is asked. */
function opened(
  text: string,
  { said, current }: ConversationReading,
  intents: ReadonlySet<Intent>,
  { identity }: Knowledge,
): string {
  if (
    !intents.has('greeting') ||
    said.length > 0 ||
    /^hello/i.test(text) ||
    withoutGreeting(current?.said ?? '') !== ''
  )
    return text
  return identity.introduction === null ? `Hello! ${text}` : `Hello! ${identity.introduction} ${text}`
}
