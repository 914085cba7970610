import { variablesIn } from '../llm/variables.ts'
import { formatJson, isObject } from './json-text.ts'
import { type ToolFields, valueAt } from './tool-draft.ts'

/** The input for a test run. */
export interface ToolTestInput {
  readonly argumentsText: string
  readonly variables: Readonly<Record<string, string>>
}

/** Builds sample arguments and lists every variable of the tool. */
export function toTestInput(tool: ToolFields, known: Readonly<Record<string, string>>): ToolTestInput {
  const texts = textsIn(tool)
  const named = [...texts.flatMap(variablesIn), ...(tool.type === 'code' ? variablesOfCode(tool.code) : [])]
  return {
    argumentsText: formatJson(sampleArguments(tool)),
    variables: { ...Object.fromEntries(named.map((name) => [name, ''])), ...known },
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Finds variables written as `dv.name` or `dv['name']`. */
function variablesOfCode(code: unknown): string[] {
  if (typeof code !== 'string') return []
  return [...code.matchAll(/\bdv(?:\.([A-Za-z_]\w*)|\[(['"])([^'"\]]+)\2\])/g)].map(
    ([, dotted, , quoted]) => dotted ?? quoted ?? '',
  )
}

const MAX_DEPTH = 6

/** Builds sample arguments that match the tool's schema. */
export function sampleArguments(tool: ToolFields): ToolFields {
  if (tool.type === 'extract_dynamic_variable') return sampleOfVariables(tool.variables)
  const sample = sampleOf(tool.type === 'mcp' ? tool.input_schema : tool.parameters, 0)
  return isObject(sample) ? sample : {}
}

function sampleOfVariables(variables: unknown): ToolFields {
  const known = Array.isArray(variables) ? variables.filter(isObject) : []
  return Object.fromEntries(known.map((variable) => [String(variable.name), sampleOfVariable(variable)]))
}

function sampleOfVariable({ type, choices, examples }: ToolFields): unknown {
  if (type === 'number') return 1
  if (type === 'boolean') return true
  const [first = 'text'] = Array.isArray(choices) ? choices : Array.isArray(examples) ? examples : []
  return first
}

function sampleOf(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return {}
  const { default: standard, examples, const: only, enum: words, anyOf, oneOf } = schema
  if (standard !== undefined) return standard
  if (only !== undefined) return only
  for (const list of [examples, words]) if (Array.isArray(list) && list.length > 0) return list[0]
  const [first] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  if (first !== undefined) return sampleOf(first, depth + 1)
  return sampleOfType(schema, depth)
}

function sampleOfType(schema: ToolFields, depth: number): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type
  switch (type) {
    case 'string':
      return sampleText(schema.format)
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items, depth + 1)]
    default: {
      const properties = valueAt(schema, 'properties')
      const entries = isObject(properties) ? Object.entries(properties) : []
      return Object.fromEntries(entries.map(([name, inner]) => [name, sampleOf(inner, depth + 1)]))
    }
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  date: '2030-01-31',
  'date-time': '2030-01-31T09:00:00Z',
  time: '09:00:00',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function sampleText(format: unknown): string {
  return (typeof format === 'string' ? TEXTS[format] : undefined) ?? 'text'
}
