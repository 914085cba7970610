import type { JsonObject, JsonValue } from '../../ports.ts'
import { approvedArguments } from './agreement.ts'
import { fitOfTool } from './choose-tool.ts'
import { collectVariables } from './collect-variables.ts'
import { fillArguments, isAllowed } from './fill-arguments.ts'
import { knownElsewhere } from './known-elsewhere.ts'
import { replyInWords } from './reply-in-words.ts'
import type { Field } from './schema-fields.ts'
import { call, type Decision, fill, type Situation } from './situation.ts'
import type { ReadTool } from './tool-roles.ts'

/** Calls one of the tools, whatever is known: what nobody said is left out. `null` without tools. */
export function forceCall(situation: Situation): Decision | null {
  const { tools, reading, message } = situation
  const [only] = tools
  if (only !== undefined && tools.length === 1) return forceTool(only, situation)
  const unused = tools.filter((tool) => !reading.calledThisTurn.includes(tool.tool.name))
  const candidates = (unused.length > 0 ? unused : tools).map((tool) => {
    const { missing } = fill(tool, situation)
    return { tool, fit: fitOfTool(tool, message) - missing.length * 0.05 - (tool.role === 'end' ? 0.2 : 0) }
  })
  const best = candidates.sort((left, right) => right.fit - left.fit)[0]
  return best === undefined ? null : forceTool(best.tool, situation)
}

function forceTool(tool: ReadTool, situation: Situation): Decision {
  const { reading, knowledge } = situation
  const agreed = approvedArguments(situation, tool.tool.name)
  if (agreed !== null) return call(tool, agreed)
  if (tool.role === 'extract') return call(tool, collectVariables(tool.fields, situation))
  const composed = messageField(tool)
  if (composed !== null) {
    const text = replyInWords({ ...reading, current: null, freshResults: [] }, knowledge, {
      intents: new Set(),
      offered: [],
    })
    return call(tool, isAllowed(composed, text) ? { [composed.path[0] ?? '']: text } : {})
  }
  const { args, missing } = fillArguments(tool.fields, reading.exchanges, 0, knowledge.today)
  const found = missing
    .filter(({ path }) => path.length === 1)
    .flatMap((field): [string, JsonValue][] => {
      const value = knownElsewhere(field, situation)
      return value === undefined ? [] : [[field.path[0] ?? '', value]]
    })
  return call(tool, { ...args, ...(Object.fromEntries(found) as JsonObject) })
}

/** The text of a tool that writes something to the user: the model's to word. */
function messageField({ tool, fields }: ReadTool): Field | null {
  const [field] = fields
  if (field === undefined || fields.length !== 1 || field.type !== 'string' || field.choices.length > 0) return null
  const writes = /\b(?:writes?|sends?|compose[sd]?|drafts?)\b.{0,40}\b(?:message|sms|text|e-?mail|reply|note)\b/i
  const wordless = /^(?:text|message|body|content|sms|reply|words)$/i.test(field.path[0] ?? '')
  return wordless && (writes.test(tool.description) || /^(?:write|send|compose)/i.test(tool.name)) ? field : null
}
