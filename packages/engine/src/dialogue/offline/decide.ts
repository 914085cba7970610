import type { JsonObject, ModelRequest } from '../../ports.ts'
import { EXECUTION_MESSAGE_FIELD } from '../tools/offered-tools.ts'
import { answerAgreement, proposeCall } from './agreement.ts'
import { answerFromFacts, sureCoverage } from './answer-question.ts'
import { askField } from './ask-field.ts'
import { chooseTool, fitOfTool } from './choose-tool.ts'
import { collect, newOf } from './collect-variables.ts'
import { composeGoodbye } from './compose-reply.ts'
import { endingQuestion } from './cut-text.ts'
import { decideBranch, decideTransition, isTransition } from './decide-way.ts'
import { asksForField, fillArguments } from './fill-arguments.ts'
import { forceCall } from './force-call.ts'
import { intentsOf, isQuestion, polarityOf } from './intents.ts'
import type { Knowledge } from './knowledge.ts'
import { answerFromDocuments } from './passages/answer-from-passages.ts'
import { performStep } from './perform-instructions.ts'
import { asksForAgreement, type ConversationReading } from './read-messages.ts'
import { isQuietResult, replyInWords } from './reply-in-words.ts'
import { fitOfCondition } from './routing/choose-way.ts'
import { readResult } from './routing/judge-result.ts'
import { whenOf } from './routing/when-clause.ts'
import { call, type Decision, fill, pursue, requestStart, type Situation, say } from './situation.ts'
import { asSentence } from './split-sentences.ts'
import { type ReadTool, readTool } from './tool-roles.ts'

/** Whether the user leaves: says so, or says no to "anything else?". */
function leaves({ intents, reading, message }: Situation): boolean {
  if (intents.has('goodbye')) return true
  return (
    /\b(?:anything|something) else\b/i.test(endingQuestion(reading.current?.asked ?? '')) &&
    polarityOf(message) === 'no' &&
    message.split(/\s+/).length <= 8 &&
    !isQuestion(message)
  )
}

/** Goes on with a tool whose field was asked for last; `null` when none was. */
function continueTool(situation: Situation): Decision | null {
  const { reading, message, intents, knowledge } = situation
  const asked = reading.current?.asked ?? ''
  const pending = situation.tools.filter(
    (tool) =>
      (tool.branching === null || isTransition(tool)) &&
      !reading.calledThisTurn.includes(tool.tool.name) &&
      tool.fields.some((field) => asksForField(asked, field)),
  )
  const request = (tool: ReadTool): string => reading.exchanges[requestStart(tool, reading.exchanges)]?.said ?? ''
  const tool = pending.sort((left, right) => fitOfTool(right, request(right)) - fitOfTool(left, request(left)))[0]
  const field = tool?.fields.find((one) => asksForField(asked, one))
  if (tool === undefined || field === undefined) return null
  if (intents.has('cancel')) return say('All right, I have left that. Is there anything else I can help you with?')
  const filling = fill(tool, situation)
  if (!filling.missing.includes(field)) {
    if (tool.role !== 'extract') return pursue(tool, situation, 'Thank you. ')
    const news = filling.missing.length > 0 ? null : newOf(filling.args, tool, reading.calls)
    if (news !== null) return call(tool, news)
    if (filling.missing.length === 0) return null
  }
  const answer = isQuestion(message) ? answerFromFacts(message, '', knowledge.indexes) : null
  if (answer !== null && answer.coverage >= sureCoverage) return say(`${answer.text} ${askField(field)}`)
  const documented = isQuestion(message) ? answerFromDocuments(reading) : null
  if (documented?.certainty === 'sure') return say(`${documented.text} ${askField(field)}`)
  const other = chooseTool(
    situation.tools.filter((one) => one.role === 'action' && one !== tool),
    message,
    { factCoverage: 0, hasValue: () => false },
  )
  if (other !== null && other.fit > 0.7) return pursue(other.tool, situation, 'Sure. ')
  if (polarityOf(message) === 'no')
    return say('All right, then I will leave that. Is there anything else I can help you with?')
  if (documented !== null) return say(`${documented.text} ${askField(field)}`)
  return say(
    `${isQuestion(message) ? 'I do not have that information.' : 'I am sorry, I did not catch that.'} ${askField(field)}`,
  )
}

/** Whom the conversation is to be handed to: by what the tool is for, or by the wish to speak with a person. */
function chooseTransfer({ tools, reading, message, intents }: Situation): ReadTool | null {
  const exchange = reading.current
  // Who has just taken over does not hand on what they were given.
  if (exchange === null || reading.handedOver) return null
  const open = tools.filter((tool) => tool.role === 'transfer' && !reading.calledThisTurn.includes(tool.tool.name))
  const rated = open.map((tool) => {
    const forPeople = /\b(?:person|human|representative|operator|staff|colleague|manager|someone)\b/i.test(
      tool.tool.description,
    )
    const wanted = intents.has('person') ? (forPeople ? 1 : open.length === 1 ? 0.7 : 0.3) : 0
    const stated = fitOfCondition(whenOf(tool.tool.description), exchange)
    return { tool, fit: Math.max(wanted, fitOfTool(tool, message), stated >= 0.45 ? stated + 0.15 : 0) }
  })
  const best = rated.sort((left, right) => right.fit - left.fit)[0]
  return best !== undefined && best.fit >= 0.6 ? best.tool : null
}

function act(situation: Situation): Decision | null {
  const { intents, tools, message, reading, knowledge } = situation
  if (intents.has('reveal')) return null
  const end = tools.find((tool) => tool.role === 'end')
  if (leaves(situation)) {
    const step = performStep(reading, knowledge)
    if (end === undefined && step.text !== null) return null
    const farewell = step.farewell && step.text !== null ? step.text : composeGoodbye(knowledge.identity)
    return end === undefined || reading.calledThisTurn.includes(end.tool.name)
      ? say(farewell)
      : call(end, fill(end, situation).args, farewell)
  }
  const transfer = chooseTransfer(situation)
  if (transfer !== null) return pursue(transfer, situation, '')
  const continued = continueTool(situation)
  if (continued !== null) return continued
  const collected = collect(situation)
  if (collected !== null) return collected
  const actions = tools.filter((tool) => tool.role === 'action' && !reading.calledThisTurn.includes(tool.tool.name))
  const chosen = chooseTool(actions, message, {
    factCoverage: actions.length === 0 ? 0 : coverageOfMessage(situation),
    hasValue: (tool) =>
      tool.fields.some((field) => field.required) &&
      fillArguments(
        tool.fields.filter((field) => field.required),
        reading.exchanges.slice(-1),
        0,
        knowledge.today,
      ).known > 0,
  })
  return chosen === null ? null : pursue(chosen.tool, situation, 'Sure. ')
}

/** How well prompt or documents answer the message: a plain question that they answer is no request for a tool. */
function coverageOfMessage({ message, knowledge, reading }: Situation): number {
  const facts = answerFromFacts(message, '', knowledge.indexes)?.coverage ?? 0
  const documented = isQuestion(message) ? answerFromDocuments(reading) : null
  return documented?.certainty === 'sure' ? Math.max(facts, documented.coverage) : facts
}

/** Decides what to answer. Pure and total: any conversation gets a text or a call. */
export function decide(request: ModelRequest, reading: ConversationReading, knowledge: Knowledge): Decision {
  const offered = request.toolChoice === 'none' ? [] : request.tools
  const message = reading.current?.said ?? ''
  const context = reading.systems.join('\n').slice(-20_000)
  const situation: Situation = {
    reading,
    knowledge,
    tools: offered.map((tool) => readTool(tool, context)),
    message,
    intents: intentsOf(message),
  }
  if (reading.news !== null) return say(asSentence(reading.news.trim()))
  const required = request.toolChoice === 'required' && offered.length > 0
  const branch = decideBranch(situation, required)
  if (branch !== null) return branch
  if (required && offered.length === 1) return forceCall(situation) ?? say('')
  const next = unlessDone(decideNext(situation), reading)
  if (next !== null && (!required || next.calls.length > 0)) return next
  const forced = required ? forceCall(situation) : null
  return (
    forced ??
    say(replyInWords(reading, knowledge, { intents: situation.intents, offered: offered.map(({ name }) => name) }))
  )
}

/** Leaves out a call that was made with the same arguments in this turn already, unless it failed or was not carried out. */
function unlessDone(decision: Decision | null, { outcomesThisTurn }: ConversationReading): Decision | null {
  if (decision === null || decision.calls.length === 0) return decision
  const done = outcomesThisTurn.filter(({ result }) => !asksForAgreement(result) && !readResult(result).failed)
  const calls = decision.calls.filter(
    ({ name, args }) => !done.some((one) => one.name === name && sameArguments(one.args, args)),
  )
  if (calls.length === decision.calls.length) return decision
  return calls.length === 0 && decision.text === '' ? null : { ...decision, calls }
}

/** Whether arguments are the same, whatever is said while the tool runs. */
function sameArguments(left: JsonObject, right: JsonObject): boolean {
  const written = (args: JsonObject): string =>
    JSON.stringify(
      Object.entries(args)
        .filter(([name]) => name !== EXECUTION_MESSAGE_FIELD)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  return written(left) === written(right)
}

function decideNext(situation: Situation): Decision | null {
  const { reading, message } = situation
  const agreement = proposeCall(situation) ?? answerAgreement(situation)
  if (agreement !== null) return agreement
  const missing = askMissing(situation)
  if (missing !== null) return missing
  const transition = decideTransition(situation)
  if (transition !== null) return transition
  const told = reading.freshResults.some((result) => !isQuietResult(result))
  return message.trim() === '' || told ? null : act(situation)
}

/** Asks for a value that a result names as missing. */
function askMissing({ reading, tools }: Situation): Decision | null {
  for (const { name, content } of reading.freshResults) {
    const names = /\bstill missing: ([^;.]{1,500})/i.exec(content.slice(0, 4_000))?.[1]?.split(/,\s*/) ?? []
    const fields = tools.find((one) => one.tool.name === name)?.fields ?? []
    const field = fields.find(({ path }) => names.includes(path.join('.')))
    if (field !== undefined) return say(askField(field))
  }
  return null
}
