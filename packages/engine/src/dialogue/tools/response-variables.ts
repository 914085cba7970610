import type { JsonValue } from '../../ports.ts'
import { parseJson } from '../json.ts'
import { parseJsonPath, readJsonPath } from '../variables/json-path.ts'
import { clearVariables, type VariableUpdates } from '../variables/variable-updates.ts'

/** Variables are stored with every turn, so a value must not hold an entire document. */
const VALUE_LIMIT_CHARACTERS = 15_000

/**
 * Extracts variables from a tool's JSON response by JSON path. Numbers and booleans become text; objects and arrays become
 * JSON. Values are cut at 15,000 characters, and `null` clears a variable. Missing values and responses that are not JSON
 * change nothing.
 */
export function readResponseVariables(
  bodyText: string,
  paths: Readonly<Record<string, string>> | undefined,
): VariableUpdates {
  const entries = Object.entries(paths ?? {})
  if (entries.length === 0) return {}
  const body = parseJson(bodyText)
  if (body === undefined) return {}
  const updates: [string, string | null][] = []
  for (const [name, path] of entries) {
    const steps = parseJsonPath(path)
    const value = steps === null ? undefined : readJsonPath(body, steps)
    if (value !== undefined) updates.push([name, value === null ? null : toVariable(value)])
  }
  return Object.fromEntries(updates)
}

function toVariable(value: Exclude<JsonValue, null>): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_LIMIT_CHARACTERS ? text.slice(0, VALUE_LIMIT_CHARACTERS) : text
}

/** Clears a failed tool's response variables, because earlier values may be outdated. */
export function clearResponseVariables(paths: Readonly<Record<string, string>> | undefined): VariableUpdates {
  return clearVariables(Object.keys(paths ?? {}))
}
