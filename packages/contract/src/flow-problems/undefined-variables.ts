import type { ErrorDetail } from '../errors.ts'
import { type Condition, isBinaryOperator, readEquation, type WrittenEquation } from '../flow-equation.ts'

/** Warnings about `{{variables}}` that nothing in a flow sets. */

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

/** Fields in which braces do not mark template variables. */
const NON_TEMPLATE_FIELDS = new Set(['code', 'parameters', 'input_schema', 'notes'])

/** Warns once per variable, with the path of its first use. Variables with a default and existence checks are ignored. */
export function findUndefinedVariables(
  texts: Readonly<Record<string, unknown>>,
  definedNames: Iterable<string>,
): ErrorDetail[] {
  const defined = new Set(definedNames)
  const usedVariables = new Map<string, string>()
  collectUses(texts, '', usedVariables)
  return [...usedVariables]
    .filter(([name]) => !isDefined(name, defined))
    .map(([name, path]) => ({
      path,
      message: `Nothing in the flow sets "${name}". Its text stays unchanged unless the conversation provides a value.`,
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

/** Variable names with the paths of their first uses. */
type Uses = Map<string, string>

function collectUses(value: unknown, path: string, used: Uses): void {
  if (typeof value === 'string') collectFromText(value, path, used)
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) collectUses(item, `${path}[${index}]`, used)
  else if (typeof value === 'object' && value !== null) {
    if ((value as { type?: unknown }).type === 'equation') {
      const read = readEquation(value as WrittenEquation)
      if (read.type === 'condition') collectFromCondition(read.condition, path, used)
      return
    }
    for (const [key, item] of Object.entries(value)) {
      if (!NON_TEMPLATE_FIELDS.has(key)) collectUses(item, path === '' ? key : `${path}.${key}`, used)
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

/** Collects only innermost expressions, since the name around them is only known at run time. */
function collectFromText(text: string, path: string, used: Uses): void {
  for (const [, expression = ''] of text.matchAll(/\{\{([^{}|\n]+)\}\}/g)) {
    const name = expression.trim()
    if (!used.has(name)) used.set(name, path)
  }
}
