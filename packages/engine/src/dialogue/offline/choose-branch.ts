import type { JsonObject, JsonValue, ModelTool } from '../../ports.ts'
import { extractValues } from './extract-values.ts'
import { isQuestion, polarityOf, withoutGreeting } from './intents.ts'
import type { Exchange } from './read-messages.ts'
import { isObject, wordsOf } from './schema-fields.ts'
import { overlap } from './term-overlap.ts'
import { contentTerms, tokenise } from './tokenise.ts'

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
const generic = new Set(
  tokenise(
    'user customer caller patient guest wants asks says said would like ask answer agent about condition is has was transition choose stay question provided provides',
  ),
)

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
    const texts = [typeof schema.description === 'string' ? schema.description : '', tool.description, context]
    const branches = choices.map(({ id, condition }) => ({
      id,
      condition: condition || describedIn(texts, String(id)) || wordsOf(String(id)),
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

const refusing =
  /\b(?:no|not|doesn['’]?t|don['’]?t|declin\w+|refus\w+|reject\w*|disagree\w*|den(?:y|ies)|isn['’]?t|wrong|incorrect|unwilling|uninterested|without|cannot|can['’]?t)\b/i
const agreeing =
  /\b(?:yes|agrees?|confirm(?:s|ed)?|accept(?:s|ed)?|affirm\w*|consent(?:s|ed)?|correct|interested|willing|ready|approves?|proceed|happy to|positive)\b/i
const provides =
  /\b(?:provid\w+|g[ai]ves?|given|shares?|shared|states?|stated|tells?|told|mention\w*|suppl\w+|enter(?:s|ed)|known|collected|obtained|answer(?:s|ed))\b/i

function providedValue(condition: string, exchange: Exchange): number {
  if (!provides.test(condition) || refusing.test(condition)) return 0
  const values = extractValues(exchange.said, null)
  const words = condition.toLowerCase()
  const checks: readonly (readonly [RegExp, boolean])[] = [
    [/e-?mail/, values.emails.length > 0],
    [/phone|mobile/, values.phones.length > 0],
    [/birth|date|day\b/, values.dates.length > 0],
    [/\btime\b/, values.times.length > 0],
    [
      /(?:order|booking|reference|account|confirmation|ticket|invoice|customer|tracking) ?(?:id|number|code)/,
      values.references.length > 0 || values.numbers.length > 0,
    ],
    [
      /\bname\b/,
      values.name !== null ||
        (/\bname\b/i.test(exchange.asked) &&
          /^[\p{L}'’ .-]{2,60}$/u.test(exchange.said.trim()) &&
          polarityOf(exchange.said) === null),
    ],
    [/\baddress\b/, values.address !== null],
    [/\b(?:number|quantity|how many|amount|people|guests|size)\b/, values.numbers.length > 0],
  ]
  const known = checks.filter(([kind]) => kind.test(words))
  if (known.length > 0) return known.every(([, present]) => present) ? 0.9 : 0
  const aboutQuestion =
    overlap(
      contentTerms(condition).filter((term) => !generic.has(term)),
      contentTerms(exchange.asked),
    ) > 0
  return aboutQuestion &&
    !isQuestion(exchange.said) &&
    polarityOf(exchange.said) === null &&
    exchange.said.trim() !== ''
    ? 0.5
    : 0
}

/** How well a condition fits what was just said, about 0 to 2. */
export function fitOf(condition: string, exchange: Exchange): number {
  const polarity = polarityOf(withoutGreeting(exchange.said) || exchange.said)
  const wanted = contentTerms(condition).filter((term) => !generic.has(term))
  const said = contentTerms(exchange.said).filter((term) => !generic.has(term) && !/^\d+$/.test(term))
  const negative = refusing.test(condition)
  const lexical = said.length === 0 ? 0 : 0.6 * overlap(said, wanted) + 0.4 * overlap(wanted, said)
  const about = overlap(wanted, contentTerms(exchange.asked))
  let fit = Math.max(lexical * (negative && polarity !== 'no' ? 0.3 : 1), providedValue(condition, exchange))
  if (polarity === 'yes') fit += negative ? -0.5 : agreeing.test(condition) ? 0.6 + about * 0.3 : about * 0.6
  if (polarity === 'no') fit += negative ? 0.6 + about * 0.3 : agreeing.test(condition) ? -0.5 : -0.2
  return fit
}

/** The smallest fit that counts. */
const enough = 0.3

/** Picks the way whose condition fits best; the fallback, or `null`, when none fits well enough. */
export function chooseBranch(
  branching: Branching,
  exchange: Exchange | null,
): { readonly branch: Branch; readonly fit: number } | null {
  let best: { branch: Branch; fit: number } | null = null
  if (exchange !== null) {
    for (const branch of branching.branches) {
      const fit = fitOf(branch.condition, exchange)
      if (fit >= enough && fit > (best?.fit ?? 0)) best = { branch, fit }
    }
  }
  return best ?? (branching.fallback === null ? null : { branch: branching.fallback, fit: 0 })
}
