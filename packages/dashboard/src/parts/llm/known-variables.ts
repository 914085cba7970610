import type { TextProblem } from '../../components/code-look.ts'
import { variableUses } from './variables.ts'

/** Variables that every conversation has, or that one of its kind has. */
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

/** Followed by a time zone, such as `current_time_Europe/Berlin`. */
const ZONE_PREFIX = 'current_time_'

/** Whether the server gives the variable its value by itself. */
export function isSystemVariable(name: string): boolean {
  return (SYSTEM_VARIABLES as readonly string[]).includes(name) || name.startsWith(ZONE_PREFIX)
}

/** Names to offer while a prompt is typed. */
export function offeredVariables(defaults: Readonly<Record<string, string>>): string[] {
  const own = Object.keys(defaults).filter((name) => !isSystemVariable(name))
  return [...own, ...SYSTEM_VARIABLES]
}

/** Names of a text that nothing gives a value to: neither the defaults nor the server nor the text itself. */
export function unknownVariables(text: string, defaults: Readonly<Record<string, string>>): string[] {
  return [...new Set(unknownUses(text, defaults).map(({ name }) => name))]
}

/** The same with the places where they stand, to be marked in the text. */
export function unknownMarks(
  text: string,
  { defaults, message }: { readonly defaults: Readonly<Record<string, string>>; readonly message: string },
): TextProblem[] {
  return unknownUses(text, defaults).map(({ from, to }) => ({ from, to, message, severity: 'warning' }))
}

interface NamedUse {
  readonly name: string
  readonly from: number
  readonly to: number
}

function unknownUses(text: string, defaults: Readonly<Record<string, string>>): NamedUse[] {
  return variableUses(text).flatMap(({ name, from, to, hasDefault }) =>
    name === null || hasDefault || isKnown(name, defaults) ? [] : [{ name, from, to }],
  )
}

/** `customer.name` may also be a part of the JSON in `customer`. */
function isKnown(name: string, defaults: Readonly<Record<string, string>>): boolean {
  const [head = name] = name.split(/[.[]/, 1)
  return isSystemVariable(name) || Object.hasOwn(defaults, name) || Object.hasOwn(defaults, head)
}
