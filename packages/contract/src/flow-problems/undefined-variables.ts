import type { ErrorDetail } from '../errors.ts'
import { type Condition, type EquationInput, isBinaryOperator, readEquation } from '../flow-equation.ts'

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
  const definedNameSet = new Set(definedNames)
  const usedVariables = new Map<string, string>()
  collectUses(texts, '', usedVariables)
  return [...usedVariables]
    .filter(([name]) => !isDefined(name, definedNameSet))
    .map(([name, path]) => ({
      path,
      message: `Nothing in the flow sets "${name}". Its text stays unchanged unless the conversation provides a value.`,
    }))
}

function isDefined(name: string, definedNames: ReadonlySet<string>): boolean {
  const rootName = name.split(/[.[]/, 1)[0] ?? name
  return (
    definedNames.has(name) ||
    definedNames.has(rootName) ||
    SYSTEM_VARIABLES.has(name) ||
    /^current_(time|hour|calendar)(_.+)?$/.test(name)
  )
}

/** Variable names with the paths of their first uses. */
type VariableUses = Map<string, string>

function collectUses(value: unknown, path: string, usedVariables: VariableUses): void {
  if (typeof value === 'string') collectFromText(value, path, usedVariables)
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) collectUses(item, `${path}[${index}]`, usedVariables)
  else if (typeof value === 'object' && value !== null) {
    if ((value as { type?: unknown }).type === 'equation') {
      const parsedEquation = readEquation(value as EquationInput)
      if (parsedEquation.type === 'condition') collectFromCondition(parsedEquation.condition, path, usedVariables)
      return
    }
    for (const [key, item] of Object.entries(value)) {
      if (!NON_TEMPLATE_FIELDS.has(key)) collectUses(item, path === '' ? key : `${path}.${key}`, usedVariables)
    }
  }
}

function collectFromCondition(condition: Condition, path: string, usedVariables: VariableUses): void {
  if (condition.kind !== 'comparison') {
    for (const part of condition.parts) collectFromCondition(part, path, usedVariables)
  } else if (isBinaryOperator(condition.operator)) {
    collectFromText(condition.left, path, usedVariables)
    collectFromText(condition.right ?? '', path, usedVariables)
  }
}

/** Collects only innermost expressions, because outer names are known only at run time. */
function collectFromText(text: string, path: string, usedVariables: VariableUses): void {
  for (const [, expression = ''] of text.matchAll(/\{\{([^{}|\n]+)\}\}/g)) {
    const name = expression.trim()
    if (!usedVariables.has(name)) usedVariables.set(name, path)
  }
}
