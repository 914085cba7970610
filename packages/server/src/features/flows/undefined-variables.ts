import { type Condition, comparesTwo, readEquation, type WrittenEquation } from '@parley/contract/flow-equation'
import { type DialogGraph, type KnownComponents, variablesSetBy } from './dialog-graph.ts'

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

/** Texts in which braces mean something else. */
const NOT_TEMPLATES = new Set(['code', 'parameters', 'input_schema'])

export interface VariableSources {
  readonly defaults: Readonly<Record<string, string>>
  readonly components: KnownComponents
}

/**
 * Names that texts of the graph use although nothing in it sets them, in order of appearance. What says `{{name | default}}`
 * and what only asks whether a variable exists is content without a value.
 */
export function undefinedVariables(
  graph: DialogGraph & { readonly global_prompt: string },
  { defaults, components }: VariableSources,
): string[] {
  const defined = new Set(Object.keys(defaults))
  const set = [variablesSetBy(graph), ...[...components.values()].map(({ variables }) => variables)]
  for (const name of set.flat()) defined.add(name)
  const used = new Set<string>()
  collect([graph.global_prompt, graph.nodes, graph.tools], used)
  return [...used].filter((name) => !isDefined(name, defined))
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

function collect(value: unknown, used: Set<string>): void {
  if (typeof value === 'string') collectFromText(value, used)
  else if (Array.isArray(value)) for (const item of value) collect(item, used)
  else if (typeof value === 'object' && value !== null) {
    if ((value as { type?: unknown }).type === 'equation') {
      const read = readEquation(value as WrittenEquation)
      if (read.type === 'condition') collectFromCondition(read.condition, used)
      return
    }
    for (const [key, item] of Object.entries(value)) if (!NOT_TEMPLATES.has(key)) collect(item, used)
  }
}

function collectFromCondition(condition: Condition, used: Set<string>): void {
  if (condition.kind !== 'comparison') {
    for (const part of condition.parts) collectFromCondition(part, used)
  } else if (comparesTwo(condition.operator)) {
    collectFromText(condition.left, used)
    collectFromText(condition.right ?? '', used)
  }
}

/** Innermost expressions only: what stands around one is made when the conversation runs. */
function collectFromText(text: string, used: Set<string>): void {
  for (const [, expression = ''] of text.matchAll(/\{\{([^{}|\n]+)\}\}/g)) used.add(expression.trim())
}
