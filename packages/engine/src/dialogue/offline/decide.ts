import type { JsonObject, ModelRequest } from '../../ports.ts'
import { answerFromFacts, sureCoverage } from './answer-question.ts'
import { askField } from './ask-field.ts'
import { chooseTool, fitOfTool } from './choose-tool.ts'
import { composeGoodbye } from './compose-reply.ts'
import { asksForField, type Filling, fillArguments } from './fill-arguments.ts'
import { type Intent, intentsOf, isQuestion, polarityOf } from './intents.ts'
import type { Knowledge } from './knowledge.ts'
import type { ConversationReading, Exchange } from './read-messages.ts'
import { replyInWords } from './reply-in-words.ts'
import { chooseWay } from './routing/choose-way.ts'
import { isObject } from './schema-fields.ts'
import { type ReadTool, readTool } from './tool-roles.ts'

/** What the model answers: a text, tool calls, or both. */
export interface Decision {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
}

interface Situation {
  readonly reading: ConversationReading
  readonly knowledge: Knowledge
  readonly tools: readonly ReadTool[]
  readonly message: string
  readonly intents: ReadonlySet<Intent>
}

function say(text: string): Decision {
  return { text, calls: [] }
}

function call(tool: ReadTool, args: JsonObject, text = ''): Decision {
  return { text, calls: [{ name: tool.tool.name, args }] }
}

/** Where the request for this tool began: the message before our first question for it. */
function requestStart(tool: ReadTool, exchanges: readonly Exchange[]): number {
  let position = exchanges.length - 1
  while (position > 0 && tool.fields.some((field) => asksForField(exchanges[position]?.asked ?? '', field))) position--
  return Math.max(0, position)
}

function fill(tool: ReadTool, { reading, knowledge }: Situation): Filling {
  const start = requestStart(tool, reading.exchanges)
  const calls = reading.exchanges[start]?.callsBefore ?? 0
  const remembered = reading.exchanges.findIndex((exchange) => exchange.callsBefore === calls)
  const ownWords = tool.fields.some((field) => field.kind === 'own-words')
  const since = ownWords ? start : Math.max(remembered < 0 ? start : remembered, start - 6)
  return fillArguments(tool.fields, reading.exchanges, since, knowledge.today)
}

/** Calls the tool, or asks for the next thing that it needs. */
function pursue(tool: ReadTool, situation: Situation, lead: string): Decision {
  const filling = fill(tool, situation)
  const next = filling.missing[0]
  if (next === undefined) return call(tool, filling.args)
  return say(`${lead}${askField(next)}`)
}

/** Answers the question where to go next; `null` when no tool asks it, or none of its ways fits and it need not be answered. */
function decideBranch(situation: Situation, required: boolean): Decision | null {
  const { reading, tools } = situation
  for (const tool of tools) {
    const { branching } = tool
    if (branching === null || branching.property === '') continue
    if (!required && reading.calledThisTurn.includes(tool.tool.name)) continue
    const ways = branching.branches.map(({ id, condition }) => ({ id: String(id), condition }))
    const chosen = chooseWay(ways, reading)
    const branch = chosen === null ? branching.fallback : branching.branches[chosen.position]
    // A fallback ("stay") next to other tools and free speech is the same as no transition.
    if (branch === null || branch === undefined || (chosen === null && !required && tools.length > 1)) continue
    const reason = 'reason' in properties(tool) ? { reason: chosen?.reason ?? 'None of the conditions fits.' } : {}
    const others = tool.fields.filter(({ path }) => path[0] !== branching.property && path[0] !== 'reason')
    const told = fillArguments(others, reading.exchanges, 0, situation.knowledge.today)
    return call(tool, { ...told.args, ...reason, [branching.property]: branch.id })
  }
  return null
}

function properties(tool: ReadTool): JsonObject {
  const own = tool.tool.parameters.properties
  return isObject(own) ? own : {}
}

/** Whether the user leaves: says so, or says no to "anything else?". */
function leaves({ intents, reading, message }: Situation): boolean {
  if (intents.has('goodbye')) return true
  return (
    /\b(?:anything|something) else\b[^?]*\?\s*$/i.test(reading.current?.asked ?? '') &&
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
    (tool) => tool.branching === null && tool.fields.some((field) => asksForField(asked, field)),
  )
  const request = (tool: ReadTool): string => reading.exchanges[requestStart(tool, reading.exchanges)]?.said ?? ''
  const tool = pending.sort((left, right) => fitOfTool(right, request(right)) - fitOfTool(left, request(left)))[0]
  const field = tool?.fields.find((one) => asksForField(asked, one))
  if (tool === undefined || field === undefined) return null
  if (intents.has('cancel')) return say('All right, I have left that. Is there anything else I can help you with?')
  const filling = fill(tool, situation)
  if (!filling.missing.includes(field)) return pursue(tool, situation, 'Thank you. ')
  const answer = isQuestion(message) ? answerFromFacts(message, '', knowledge.indexes) : null
  if (answer !== null && answer.coverage >= sureCoverage) return say(`${answer.text} ${askField(field)}`)
  const other = chooseTool(
    situation.tools.filter((one) => one.role === 'action' && one !== tool),
    message,
    { factCoverage: 0, hasValue: () => false },
  )
  if (other !== null && other.fit > 0.7) return pursue(other.tool, situation, 'Sure. ')
  if (polarityOf(message) === 'no')
    return say('All right, then I will leave that. Is there anything else I can help you with?')
  return say(
    `${isQuestion(message) ? 'I do not have that information.' : 'I am sorry, I did not catch that.'} ${askField(field)}`,
  )
}

/** Stores what the user told when a tool is there for it and everything it requires is known. */
function collect(situation: Situation): Decision | null {
  for (const tool of situation.tools.filter((one) => one.role === 'extract')) {
    if (situation.reading.calledThisTurn.includes(tool.tool.name)) continue
    const latest = fillArguments(tool.fields, situation.reading.exchanges.slice(-1), 0, situation.knowledge.today)
    if (latest.known === 0) continue
    const filling = fill(tool, situation)
    if (filling.missing.length === 0) return call(tool, filling.args)
  }
  return null
}

function force(situation: Situation): Decision | null {
  const unused = situation.tools.filter((tool) => !situation.reading.calledThisTurn.includes(tool.tool.name))
  const candidates = (unused.length > 0 ? unused : situation.tools).map((tool) => {
    const filling = fill(tool, situation)
    return {
      tool,
      filling,
      fit: fitOfTool(tool, situation.message) - filling.missing.length * 0.05 - (tool.role === 'end' ? 0.2 : 0),
    }
  })
  const best = candidates.sort((left, right) => right.fit - left.fit)[0]
  return best === undefined ? null : call(best.tool, best.filling.args)
}

function act(situation: Situation): Decision | null {
  const { intents, tools, message, reading, knowledge } = situation
  if (intents.has('reveal')) return null
  const end = tools.find((tool) => tool.role === 'end')
  if (leaves(situation)) {
    const farewell = composeGoodbye(knowledge.identity)
    return end === undefined || reading.calledThisTurn.includes(end.tool.name)
      ? say(farewell)
      : call(end, fill(end, situation).args, farewell)
  }
  const transfers = tools.filter((tool) => tool.role === 'transfer' && !reading.calledThisTurn.includes(tool.tool.name))
  const transfer = transfers.sort((left, right) => fitOfTool(right, message) - fitOfTool(left, message))[0]
  if (transfer !== undefined && (intents.has('person') || fitOfTool(transfer, message) >= 0.6))
    return pursue(transfer, situation, '')
  const continued = continueTool(situation)
  if (continued !== null) return continued
  const collected = collect(situation)
  if (collected !== null) return collected
  const actions = tools.filter((tool) => tool.role === 'action' && !reading.calledThisTurn.includes(tool.tool.name))
  const chosen = chooseTool(actions, message, {
    factCoverage: answerFromFacts(message, '', knowledge.indexes)?.coverage ?? 0,
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
  const required = request.toolChoice === 'required' && offered.length > 0
  const branch = decideBranch(situation, required)
  if (branch !== null) return branch
  const acted = message.trim() === '' || reading.freshResults.length > 0 ? null : act(situation)
  if (acted !== null && (!required || acted.calls.length > 0)) return acted
  const forced = required ? force(situation) : null
  if (forced !== null) return forced
  return say(replyInWords(reading, knowledge, situation.intents))
}
