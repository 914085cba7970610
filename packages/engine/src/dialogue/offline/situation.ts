import type { JsonObject } from '../../ports.ts'
import { EXECUTION_MESSAGE_FIELD } from '../tools/offered-tools.ts'
import { askField } from './ask-field.ts'
import { asksForField, type Filling, fillArguments } from './fill-arguments.ts'
import { sayInstruction } from './follow-instructions.ts'
import type { Intent } from './intents.ts'
import type { Knowledge } from './knowledge.ts'
import type { ConversationReading, Exchange } from './read-messages.ts'
import { isObject, wordsOf } from './schema-fields.ts'
import type { ReadTool } from './tool-roles.ts'

/** What the model answers: a text, tool calls, or both. */
export interface Decision {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
}

/** Everything that is decided from. */
export interface Situation {
  readonly reading: ConversationReading
  readonly knowledge: Knowledge
  readonly tools: readonly ReadTool[]
  /** What the user said last; '' when it is answered. */
  readonly message: string
  readonly intents: ReadonlySet<Intent>
}

/** An answer in words. */
export function say(text: string): Decision {
  return { text, calls: [] }
}

/** A call; where the tool lets the model word what is said meanwhile, with that line. */
export function call(tool: ReadTool, args: JsonObject, text = ''): Decision {
  const { name } = tool.tool
  const line = lineSchema(tool)
  return {
    text,
    calls: [{ name, args: line === null ? args : { ...args, [EXECUTION_MESSAGE_FIELD]: composeLine(name, line) } }],
  }
}

/** The parameters of a tool by name. */
export function propertiesOf(tool: ReadTool): JsonObject {
  const own = tool.tool.parameters.properties
  return isObject(own) ? own : {}
}

function lineSchema(tool: ReadTool): JsonObject | null {
  const schema = propertiesOf(tool)[EXECUTION_MESSAGE_FIELD]
  return isObject(schema) ? schema : null
}

const looking = /^(?:get|check|look ?up|look|find|search|fetch|query|list|read|verify|track|retrieve|calculate|load)\b/

/** What is said while a tool runs: what its setting wants said, as far as it can be said as it stands. */
function composeLine(name: string, { description }: JsonObject): string {
  const hint = typeof description === 'string' ? description.slice(0, 2_000).replace(/^[^.]*\.\s*/, '') : ''
  const wanted = /["“„]([^"”“„]{2,200})["”“]/.exec(hint)?.[1] ?? sayInstruction(hint)
  if (wanted !== null) return wanted
  return looking.test(wordsOf(name))
    ? 'One moment, let me check that for you.'
    : 'One moment, I am taking care of that.'
}

/** Where the request for this tool began: the message before our first question for it. */
export function requestStart(tool: ReadTool, exchanges: readonly Exchange[]): number {
  let position = exchanges.length - 1
  while (position > 0 && tool.fields.some((field) => asksForField(exchanges[position]?.asked ?? '', field))) position--
  return Math.max(0, position)
}

/** What is known for a call of the tool in this request. */
export function fill(tool: ReadTool, { reading, knowledge }: Situation): Filling {
  const start = requestStart(tool, reading.exchanges)
  const calls = reading.exchanges[start]?.callsBefore ?? 0
  const remembered = reading.exchanges.findIndex((exchange) => exchange.callsBefore === calls)
  const ownWords = tool.fields.some((field) => field.kind === 'own-words')
  const since = ownWords ? start : Math.max(remembered < 0 ? start : remembered, start - 6)
  return fillArguments(tool.fields, reading.exchanges, since, knowledge.today)
}

/** Calls the tool, or asks for the next thing that it needs. */
export function pursue(tool: ReadTool, situation: Situation, lead: string): Decision {
  const filling = fill(tool, situation)
  const next = filling.missing[0]
  if (next === undefined) return call(tool, filling.args)
  return say(`${lead}${askField(next)}`)
}
