import type { JsonObject, JsonValue, ModelTool } from '../../ports.ts'
import { EXECUTION_MESSAGE_FIELD } from '../tools/offered-tools.ts'
import { cutBefore, trimEndMarks } from './cut-text.ts'
import { sayValue } from './describe-result.ts'
import { asksForAgreement } from './read-messages.ts'
import { stanceOf } from './routing/stance.ts'
import { wordsOf } from './schema-fields.ts'
import { call, type Decision, type Situation, say } from './situation.ts'
import { joinAsSpoken, shorten, splitSentences } from './split-sentences.ts'

const question = 'Is that all right?'

/** What a tool does, as words after "I would": "create a ticket". */
function purposeOf({ name, description }: Pick<ModelTool, 'name' | 'description'>): string {
  const words = wordsOf(name).split(/\s+/)
  const verb = words[0] ?? ''
  const first = cutBefore(
    trimEndMarks(splitSentences(description.slice(0, 600))[0] ?? '', '.!'),
    /\b(?:when|if|whenever|for the (?:user|customer|caller))\b/i,
  )
  const described = /^([A-Za-z]+)\s+(\S.{1,99})$/.exec(first)
  const spoken = described?.[1]?.toLowerCase() ?? ''
  if (described !== null && verb.length > 2 && spoken.startsWith(verb.slice(0, -1))) return `${verb} ${described[2]}`
  const object = words.slice(1).join(' ')
  return object === ''
    ? `use "${wordsOf(name)}"`
    : `${verb} ${/^(?:a|an|the|my|your|all|to)\b/.test(object) ? '' : 'the '}${object}`
}

function detailsOf(args: JsonObject): string {
  const entries: [string, JsonValue | undefined][] = Object.entries(args)
  const told = entries.flatMap(([name, value]) =>
    value === undefined || value === null || typeof value === 'object' || name === EXECUTION_MESSAGE_FIELD
      ? []
      : [`${wordsOf(name)}: ${sayValue(value)}`],
  )
  return told.length === 0 ? '' : ` (${shorten(joinAsSpoken(told.slice(0, 8)), 400)})`
}

/** Tells what is about to be done and asks for agreement, when a result says that it is needed. */
export function proposeCall({ reading, tools }: Situation): Decision | null {
  const { awaiting, freshResults } = reading
  if (awaiting === null || !freshResults.some(({ content }) => asksForAgreement(content))) return null
  const tool = tools.find((one) => one.tool.name === awaiting.name)?.tool ?? { name: awaiting.name, description: '' }
  return say(`I would now ${purposeOf(tool)}${detailsOf(awaiting.args)}. ${question}`)
}

/** After a yes the call is made with the same arguments, after a no it is left; `null` when that was not the question. */
export function answerAgreement({ reading, tools, message }: Situation): Decision | null {
  const { awaiting, current } = reading
  if (awaiting === null || current === null || !current.asked.endsWith(question)) return null
  const { polarity, rest } = stanceOf(message)
  if (polarity === 'no') return say('All right, I will not do that. Is there anything else I can help you with?')
  const tool = tools.find((one) => one.tool.name === awaiting.name)
  return polarity === 'yes' && tool !== undefined && !/\b(?:but|except|instead)\b|\?/i.test(rest)
    ? call(tool, awaiting.args)
    : null
}

/** The arguments of the call that the user has just agreed to. */
export function approvedArguments({ reading, message }: Situation, name: string): JsonObject | null {
  const { awaiting } = reading
  return awaiting !== null && awaiting.name === name && stanceOf(message).polarity === 'yes' ? awaiting.args : null
}
