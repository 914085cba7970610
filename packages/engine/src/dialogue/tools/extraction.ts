import type { ExtractedVariable } from '@parley/contract/tools'
import type { JsonObject, JsonValue } from '../../ports.ts'
import type { VariableUpdates } from '../variables/variable-updates.ts'

/** Builds the JSON Schema for extracted values. No value is required, because the model may not know it. */
export function buildExtractionSchema(variables: readonly ExtractedVariable[]): JsonObject {
  const properties = Object.fromEntries(variables.map((variable) => [variable.name, buildVariableSchema(variable)]))
  return { type: 'object', properties }
}

function buildVariableSchema(variable: ExtractedVariable): JsonObject {
  const description = describeVariable(variable)
  switch (variable.type) {
    case 'string':
      return { type: 'string', description }
    case 'number':
      return { type: 'number', description }
    case 'boolean':
      return { type: 'boolean', description }
    case 'enum':
      return { type: 'string', enum: variable.choices, description }
  }
}

function describeVariable(variable: ExtractedVariable): string {
  const parts = [variable.description]
  if (variable.conditional_prompt !== undefined) parts.push(`Only when: ${variable.conditional_prompt}`)
  if (variable.type === 'string' && variable.examples !== undefined && variable.examples.length > 0) {
    parts.push(`For example: ${variable.examples.join('; ')}`)
  }
  return parts.filter((part) => part.trim() !== '').join(' ')
}

/** The valid values that a model extracted. */
export interface Extraction {
  /** Maps names to text. `null` clears a variable. */
  readonly variables: VariableUpdates
  /** Names of missing required variables. */
  readonly missingNames: readonly string[]
}

/** Variables are stored with every turn, so a value must not hold an entire document. */
const VALUE_LIMIT_CHARACTERS = 15_000

/**
 * Reads the values that match their variables. Numbers and booleans may be text, choices match in any case, and `null` clears a
 * variable.
 */
export function readExtraction(args: JsonObject, variables: readonly ExtractedVariable[]): Extraction {
  const entries: [string, string | null][] = []
  const missingNames: string[] = []
  for (const variable of variables) {
    const argument = Object.hasOwn(args, variable.name) ? args[variable.name] : undefined
    const value = readValue(argument, variable)
    if (value !== null || argument === null) entries.push([variable.name, value])
    if (value === null && variable.required === true) missingNames.push(variable.name)
  }
  return { variables: Object.fromEntries(entries), missingNames }
}

function readValue(value: JsonValue | undefined, variable: ExtractedVariable): string | null {
  if (value === undefined || value === null || typeof value === 'object') return null
  const text = String(value).trim()
  if (text === '') return null
  switch (variable.type) {
    case 'string':
      return text.slice(0, VALUE_LIMIT_CHARACTERS)
    case 'number':
      return Number.isFinite(Number(text)) ? String(Number(text)) : null
    case 'boolean':
      return readBoolean(text)
    case 'enum':
      return variable.choices.find((choice) => choice.trim().toLowerCase() === text.toLowerCase()) ?? null
  }
}

function readBoolean(text: string): string | null {
  if (/^(true|yes|1)$/i.test(text)) return 'true'
  return /^(false|no|0)$/i.test(text) ? 'false' : null
}
