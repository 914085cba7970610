import type { JsonObject, JsonValue, ModelTool } from '../../ports.ts'
import { isObject, wordsOf } from './schema-fields.ts'

/** One way on, with the condition under which it is taken. */
export interface Branch {
  readonly id: JsonValue
  readonly condition: string
}

/** A tool that picks one of several ways: `property` takes the id. */
export interface Branching {
  readonly property: string
  readonly branches: readonly Branch[]
  /** Taken when no condition holds; `null` when the tool has none. */
  readonly fallback: Branch | null
}

const routing = /\b(?:transition|route|router|branch|edge|navigate|next (?:node|step|state)|choose|select|decide)\b/
const staying = /^(?:stay|remain|none|no[ _-]?match|no[ _-]?transition|current|wait|continue here)\b/i
const otherwise = /^(?:else|otherwise|default|fallback|other)\b/i

/** The lines of a description that begin with one of the ids, each with the lines that follow it. */
function linesById(description: string, ids: ReadonlySet<string>): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  let id = ''
  for (const line of description.split('\n')) {
    const colon = line.indexOf(':')
    const key = colon < 0 ? '' : line.slice(0, colon).trim()
    if (ids.has(key) && !lines.has(key)) {
      id = key
      lines.set(id, line.slice(colon + 1).trim())
    } else if (id !== '') lines.set(id, `${lines.get(id)} ${line.trim()}`.trim())
  }
  return lines
}

function describedIn(texts: readonly string[], id: string): string {
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const line = new RegExp(
    `(?:^|[\\s\`"'(*\\-\\[])${escaped}[\`"')*\\]]*\\s*(?::|=|—|–|->|=>|-|\\.\\s|\\)\\s)\\s*([^\\n;]{2,300})`,
    'i',
  )
  for (const text of texts) {
    const found = line.exec(text)?.[1]
    if (found !== undefined) return found.trim()
  }
  return ''
}

function choicesOf(schema: JsonObject): { id: JsonValue; condition: string }[] {
  const alternatives = schema.oneOf ?? schema.anyOf
  if (Array.isArray(alternatives)) {
    return alternatives.flatMap((entry: JsonValue) =>
      isObject(entry) && entry.const !== undefined
        ? [{ id: entry.const, condition: String(entry.description ?? entry.title ?? '') }]
        : [],
    )
  }
  const ids = schema.enum
  if (!Array.isArray(ids)) return []
  const descriptions = schema.enumDescriptions ?? schema['x-enum-descriptions'] ?? schema['x-enumDescriptions']
  return ids.map((id: JsonValue, position: number) => {
    const found = Array.isArray(descriptions)
      ? descriptions[position]
      : isObject(descriptions)
        ? descriptions[String(id)]
        : ''
    return { id, condition: typeof found === 'string' ? found : '' }
  })
}

/** Reads a tool as a choice between ways on; `null` when it is an ordinary tool. `context` may describe the choices, too. */
export function readBranching(tool: ModelTool, context: string): Branching | null {
  const properties = tool.parameters.properties
  const routes = routing.test(wordsOf(tool.name))
  for (const [property, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(schema)) continue
    const choices = choicesOf(schema)
    if (choices.length === 0 || (!routes && !choices.some(({ id }) => staying.test(String(id))))) continue
    const description = typeof schema.description === 'string' ? schema.description : ''
    const lines = linesById(description, new Set(choices.map(({ id }) => String(id))))
    const texts = lines.size === choices.length ? [] : [description, tool.description, context]
    const branches = choices.map(({ id, condition }) => ({
      id,
      condition: condition || lines.get(String(id)) || describedIn(texts, String(id)) || wordsOf(String(id)),
    }))
    const fallback =
      branches.find(({ id }) => staying.test(String(id))) ??
      branches.find(({ id, condition }) => otherwise.test(String(id)) || otherwise.test(condition)) ??
      null
    return {
      property,
      branches: branches.filter((branch) => branch !== fallback && !staying.test(String(branch.id))),
      fallback,
    }
  }
  if (!/^transition to /.test(wordsOf(tool.name))) return null
  return {
    property: '',
    branches: [{ id: tool.name, condition: tool.description || wordsOf(tool.name) }],
    fallback: null,
  }
}
