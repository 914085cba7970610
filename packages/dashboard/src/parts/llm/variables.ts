import type { Llm } from '@parley/contract/llm'
import type { TextProblem } from '../../components/code-style.ts'

/** A `{{variable}}` in a prompt and its position. */
export interface VariableUse {
  /** Null if the name contains another variable, as in `current_time_{{zone}}`. */
  readonly name: string | null
  /** Character offset, including the braces. */
  readonly from: number
  readonly to: number
  /** Whether the prompt includes a default, as in `{{name | friend}}`. */
  readonly hasDefault: boolean
}

/** An open `{{` during parsing. */
interface Open {
  readonly from: number
  /** The text so far, with a mark in place of inner variables. */
  text: string
  height: number
}

/** Marks a variable inside another variable's name. Names never contain this character. */
const INNER = '\0'

/** Finds the variables in a prompt. Like the server, resolves inner variables first. */
export function findVariableUses(prompt: string): VariableUse[] {
  const uses: VariableUse[] = []
  const open: Open[] = []
  let at = 0
  for (const { 0: braces, index } of prompt.matchAll(/\{{2,}|\}{2,}/g)) {
    appendText(open, prompt.slice(at, index))
    at = index + braces.length
    if (braces.startsWith('{')) openAll(open, braces.length, index)
    else closeAll(open, { uses, count: braces.length, index })
  }
  return uses
}

/** Lists unique variable names in order: `{{a}}`, `{{a.b}}`, `{{a | default}}`. */
export function listVariables(prompt: string): string[] {
  return [...new Set(findVariableUses(prompt).flatMap(({ name }) => (name === null ? [] : [name])))]
}

function appendText(open: readonly Open[], text: string): void {
  const innermost = open.at(-1)
  if (innermost !== undefined) innermost.text += text
}

/** Opens variables for a run of braces. In an odd run the innermost pairs count: `{{{name}}}` is a value in braces. */
function openAll(open: Open[], count: number, index: number): void {
  const odd = count % 2
  appendText(open, '{'.repeat(odd))
  for (let at = odd; at < count; at += 2) open.push({ from: index + at, text: '', height: 0 })
}

interface Closing {
  readonly uses: VariableUse[]
  readonly count: number
  readonly index: number
}

function closeAll(open: Open[], { uses, count, index }: Closing): void {
  let at = 0
  while (at + 2 <= count && open.length > 0) {
    at += 2
    closeOne(open, uses, index + at)
  }
  appendText(open, '}'.repeat(count - at))
}

function closeOne(open: Open[], uses: VariableUse[], to: number): void {
  const innermost = open.pop()
  if (innermost === undefined) return
  const parent = open.at(-1)
  if (parent !== undefined) parent.height = Math.max(parent.height, innermost.height + 1)
  // Names never span lines or nest deeper; such braces are plain text.
  if (innermost.height > 1 || innermost.text.includes('\n')) {
    appendText(open, `{{${innermost.text}}}`)
    return
  }
  appendText(open, INNER)
  const bar = innermost.text.indexOf('|')
  const name = (bar === -1 ? innermost.text : innermost.text.slice(0, bar)).trim()
  if (name === '') return
  uses.push({ name: name.includes(INNER) ? null : name, from: innermost.from, to, hasDefault: bar !== -1 })
}

/** Variables that the server sets. */
const SYSTEM_VARIABLES = [
  'current_time',
  'current_hour',
  'current_calendar',
  'session_type',
  'session_duration',
  'direction',
  'user_number',
  'agent_number',
  'call_id',
  'call_type',
  'chat_id',
] as const

/** Precedes a time zone, as in `current_time_Europe/Berlin`. */
const ZONE_PREFIX = 'current_time_'

export function isSystemVariable(name: string): boolean {
  return (SYSTEM_VARIABLES as readonly string[]).includes(name) || name.startsWith(ZONE_PREFIX)
}

/** Lists variables to suggest in a prompt. */
export function suggestVariables(defaults: Readonly<Record<string, string>>): string[] {
  const own = Object.keys(defaults).filter((name) => !isSystemVariable(name))
  return [...own, ...SYSTEM_VARIABLES]
}

/** Lists variables that get no value from the defaults, the server, or the text. */
export function findUnknownVariables(text: string, defaults: Readonly<Record<string, string>>): string[] {
  return [...new Set(findUnknownUses(text, defaults).map(({ name }) => name))]
}

/** Returns the unknown variables as warnings at their positions. */
export function findUnknownVariableProblems(
  text: string,
  { defaults, message }: { readonly defaults: Readonly<Record<string, string>>; readonly message: string },
): TextProblem[] {
  return findUnknownUses(text, defaults).map(({ from, to }) => ({ from, to, message, severity: 'warning' }))
}

interface NamedUse {
  readonly name: string
  readonly from: number
  readonly to: number
}

function findUnknownUses(text: string, defaults: Readonly<Record<string, string>>): NamedUse[] {
  return findVariableUses(text).flatMap(({ name, from, to, hasDefault }) =>
    name === null || hasDefault || isKnown(name, defaults) ? [] : [{ name, from, to }],
  )
}

/** Whether a variable has a value. `customer.name` can also be a JSON field in `customer`. */
function isKnown(name: string, defaults: Readonly<Record<string, string>>): boolean {
  const [head = name] = name.split(/[.[]/, 1)
  return isSystemVariable(name) || Object.hasOwn(defaults, name) || Object.hasOwn(defaults, head)
}

/** Lists variables in the prompts and opening message that the server does not set. */
export function listPromptVariables(llm: Pick<Llm, 'general_prompt' | 'begin_message' | 'states'> | null): string[] {
  if (llm === null) return []
  const texts = [
    llm.general_prompt,
    llm.begin_message ?? '',
    ...llm.states.map(({ state_prompt: prompt }) => prompt ?? ''),
  ]
  return [...new Set(texts.flatMap(listVariables))].filter((name) => !isSystemVariable(name))
}
