import { listVariables } from '../llm/variables.ts'
import { formatJson, isObject } from './json-text.ts'
import { getValueAt, type ToolFields } from './tool-draft.ts'

/** The input for a test run. */
export interface ToolTestInput {
  readonly argumentsText: string
  readonly variables: Readonly<Record<string, string>>
}

/** Builds sample arguments and collects the variables that the tool uses. */
export function toTestInput(tool: ToolFields, knownVariables: Readonly<Record<string, string>>): ToolTestInput {
  const texts = collectTexts(tool)
  const variableNames = [...texts.flatMap(listVariables), ...(tool.type === 'code' ? findCodeVariables(tool.code) : [])]
  return {
    argumentsText: formatJson(buildSampleArguments(tool)),
    variables: { ...Object.fromEntries(variableNames.map((name) => [name, ''])), ...knownVariables },
  }
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectTexts)
}

/** Finds variables written as `dv.name` or `dv['name']`. */
function findCodeVariables(code: unknown): string[] {
  if (typeof code !== 'string') return []
  return [...code.matchAll(/\bdv(?:\.([A-Za-z_]\w*)|\[(['"])([^'"\]]+)\2\])/g)].map(
    ([, dotted, , quoted]) => dotted ?? quoted ?? '',
  )
}

const MAX_DEPTH = 6

/** Builds sample arguments that match the tool's schema. */
export function buildSampleArguments(tool: ToolFields): ToolFields {
  if (tool.type === 'extract_dynamic_variable') return buildVariableSamples(tool.variables)
  const sample = buildSample(tool.type === 'mcp' ? tool.input_schema : tool.parameters, 0)
  return isObject(sample) ? sample : {}
}

function buildVariableSamples(variables: unknown): ToolFields {
  const validVariables = Array.isArray(variables) ? variables.filter(isObject) : []
  return Object.fromEntries(validVariables.map((variable) => [String(variable.name), buildVariableSample(variable)]))
}

function buildVariableSample({ type, choices, examples }: ToolFields): unknown {
  if (type === 'number') return 1
  if (type === 'boolean') return true
  const [firstValue = 'text'] = Array.isArray(choices) ? choices : Array.isArray(examples) ? examples : []
  return firstValue
}

function buildSample(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return {}
  const { default: defaultValue, examples, const: constantValue, enum: enumValues, anyOf, oneOf } = schema
  if (defaultValue !== undefined) return defaultValue
  if (constantValue !== undefined) return constantValue
  for (const sampleValues of [examples, enumValues])
    if (Array.isArray(sampleValues) && sampleValues.length > 0) return sampleValues[0]
  const [firstSchema] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  if (firstSchema !== undefined) return buildSample(firstSchema, depth + 1)
  return buildTypeSample(schema, depth)
}

function buildTypeSample(schema: ToolFields, depth: number): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((typeName) => typeName !== 'null') : schema.type
  switch (type) {
    case 'string':
      return buildSampleText(schema.format)
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return schema.items === undefined ? [] : [buildSample(schema.items, depth + 1)]
    default: {
      const properties = getValueAt(schema, 'properties')
      const entries = isObject(properties) ? Object.entries(properties) : []
      return Object.fromEntries(entries.map(([name, property]) => [name, buildSample(property, depth + 1)]))
    }
  }
}

const SAMPLE_TEXTS: Readonly<Record<string, string>> = {
  date: '2030-01-31',
  'date-time': '2030-01-31T09:00:00Z',
  time: '09:00:00',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function buildSampleText(format: unknown): string {
  return (typeof format === 'string' ? SAMPLE_TEXTS[format] : undefined) ?? 'text'
}
