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
interface OpenVariable {
  readonly from: number
  /** The text read so far, with a marker for each nested variable. */
  text: string
  depth: number
}

/** Marks a nested variable. Variable names never contain this character. */
const NESTED_MARKER = '\0'

/** Finds the variables in a prompt. Like the server, resolves nested variables first. */
export function findVariableUses(prompt: string): VariableUse[] {
  const uses: VariableUse[] = []
  const openVariableStack: OpenVariable[] = []
  let position = 0
  for (const { 0: braces, index } of prompt.matchAll(/\{{2,}|\}{2,}/g)) {
    appendText(openVariableStack, prompt.slice(position, index))
    position = index + braces.length
    if (braces.startsWith('{')) openVariables(openVariableStack, braces.length, index)
    else closeVariables(openVariableStack, { uses, count: braces.length, index })
  }
  return uses
}

/** Lists unique variable names in order of appearance. */
export function listVariables(prompt: string): string[] {
  return [...new Set(findVariableUses(prompt).flatMap(({ name }) => (name === null ? [] : [name])))]
}

function appendText(stack: readonly OpenVariable[], text: string): void {
  const openVariable = stack.at(-1)
  if (openVariable !== undefined) openVariable.text += text
}

/** Opens a variable for each pair of braces. The first brace of an odd run is plain text, as in `{{{name}}}`. */
function openVariables(stack: OpenVariable[], count: number, index: number): void {
  const unpairedCount = count % 2
  appendText(stack, '{'.repeat(unpairedCount))
  for (let offset = unpairedCount; offset < count; offset += 2) stack.push({ from: index + offset, text: '', depth: 0 })
}

interface BraceRun {
  readonly uses: VariableUse[]
  readonly count: number
  readonly index: number
}

function closeVariables(stack: OpenVariable[], { uses, count, index }: BraceRun): void {
  let closedCount = 0
  while (closedCount + 2 <= count && stack.length > 0) {
    closedCount += 2
    closeVariable(stack, uses, index + closedCount)
  }
  appendText(stack, '}'.repeat(count - closedCount))
}

function closeVariable(stack: OpenVariable[], uses: VariableUse[], to: number): void {
  const openVariable = stack.pop()
  if (openVariable === undefined) return
  const parent = stack.at(-1)
  if (parent !== undefined) parent.depth = Math.max(parent.depth, openVariable.depth + 1)
  // Variables with a line break or more than two levels of nesting are plain text.
  if (openVariable.depth > 1 || openVariable.text.includes('\n')) {
    appendText(stack, `{{${openVariable.text}}}`)
    return
  }
  appendText(stack, NESTED_MARKER)
  const bar = openVariable.text.indexOf('|')
  const name = (bar === -1 ? openVariable.text : openVariable.text.slice(0, bar)).trim()
  if (name === '') return
  uses.push({ name: name.includes(NESTED_MARKER) ? null : name, from: openVariable.from, to, hasDefault: bar !== -1 })
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

/** Prefix of a time zone, as in `current_time_Europe/Berlin`. */
const TIME_ZONE_PREFIX = 'current_time_'

export function isSystemVariable(name: string): boolean {
  return (SYSTEM_VARIABLES as readonly string[]).includes(name) || name.startsWith(TIME_ZONE_PREFIX)
}

/** Lists variables to suggest in a prompt. */
export function suggestVariables(defaults: Readonly<Record<string, string>>): string[] {
  const defaultNames = Object.keys(defaults).filter((name) => !isSystemVariable(name))
  return [...defaultNames, ...SYSTEM_VARIABLES]
}

/** Lists variables without a value in the defaults, on the server, or in the text. */
export function findUnknownVariables(text: string, defaults: Readonly<Record<string, string>>): string[] {
  return [...new Set(findUnknownVariableUses(text, defaults).map(({ name }) => name))]
}

/** Returns the unknown variables as warnings at their positions. */
export function findUnknownVariableProblems(
  text: string,
  { defaults, message }: { readonly defaults: Readonly<Record<string, string>>; readonly message: string },
): TextProblem[] {
  return findUnknownVariableUses(text, defaults).map(({ from, to }) => ({ from, to, message, severity: 'warning' }))
}

interface NamedVariableUse {
  readonly name: string
  readonly from: number
  readonly to: number
}

function findUnknownVariableUses(text: string, defaults: Readonly<Record<string, string>>): NamedVariableUse[] {
  return findVariableUses(text).flatMap(({ name, from, to, hasDefault }) =>
    name === null || hasDefault || hasValue(name, defaults) ? [] : [{ name, from, to }],
  )
}

/** Whether a variable has a value. `customer.name` can also be a JSON field in `customer`. */
function hasValue(name: string, defaults: Readonly<Record<string, string>>): boolean {
  const [rootName = name] = name.split(/[.[]/, 1)
  return isSystemVariable(name) || Object.hasOwn(defaults, name) || Object.hasOwn(defaults, rootName)
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
