import type { ErrorDetail } from '../errors.ts'
import { type Condition, isBinaryOperator, readEquation, type WrittenEquation } from '../flow-equation.ts'

/** Names of `{{variables}}` that a flow uses although nothing in it sets them. */

const SYSTEM_VARIABLES = new Set([
  'session_type',
  'session_duration',
  'direction',
  'user_number',
  'agent_number',
  'call_id',
  'call_type',
  'chat_id',
])

/** Texts in which braces mean something else, or nothing at all. */
const NON_TEMPLATE_FIELDS = new Set(['code', 'parameters', 'input_schema', 'notes'])

/**
 * A warning for each such name in order of appearance, with the path of its first use. What says `{{name | default}}` and what
 * only asks whether a variable exists is content without a value.
 */
export function undefinedVariables(
  texts: Readonly<Record<string, unknown>>,
  collectDefinedNames: Iterable<string>,
): ErrorDetail[] {
  const defined = new Set(collectDefinedNames)
  const used = new Map<string, string>()
  collect(texts, '', used)
  return [...used]
    .filter(([name]) => !isDefined(name, defined))
    .map(([name, path]) => ({
      path,
      message: `Nothing in the flow sets "${name}": such text stays as written unless a conversation is given it.`,
    }))
}

function isDefined(name: string, defined: ReadonlySet<string>): boolean {
  const head = name.split(/[.[]/, 1)[0] ?? name
  return (
    defined.has(name) ||
    defined.has(head) ||
    SYSTEM_VARIABLES.has(name) ||
    /^current_(time|hour|calendar)(_.+)?$/.test(name)
  )
}

/** Names to the paths of their first uses. */
type Uses = Map<string, string>

function collect(value: unknown, path: string, used: Uses): void {
  if (typeof value === 'string') collectFromText(value, path, used)
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) collect(item, `${path}[${index}]`, used)
  else if (typeof value === 'object' && value !== null) {
    if ((value as { type?: unknown }).type === 'equation') {
      const read = readEquation(value as WrittenEquation)
      if (read.type === 'condition') collectFromCondition(read.condition, path, used)
      return
    }
    for (const [key, item] of Object.entries(value)) {
      if (!NON_TEMPLATE_FIELDS.has(key)) collect(item, path === '' ? key : `${path}.${key}`, used)
    }
  }
}

function collectFromCondition(condition: Condition, path: string, used: Uses): void {
  if (condition.kind !== 'comparison') {
    for (const part of condition.parts) collectFromCondition(part, path, used)
  } else if (isBinaryOperator(condition.operator)) {
    collectFromText(condition.left, path, used)
    collectFromText(condition.right ?? '', path, used)
  }
}

/** Innermost expressions only: what stands around one is made when the conversation runs. */
function collectFromText(text: string, path: string, used: Uses): void {
  for (const [, expression = ''] of text.matchAll(/\{\{([^{}|\n]+)\}\}/g)) {
    const name = expression.trim()
    if (!used.has(name)) used.set(name, path)
  }
}
