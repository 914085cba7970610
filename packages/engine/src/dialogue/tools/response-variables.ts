import type { JsonValue } from '../../ports.ts'
import { parseJsonPath, readJsonPath } from '../variables/json-path.ts'
import { clearing, type VariableUpdates } from '../variables/variable-updates.ts'

/** Variables are written with every turn, so one of them may not carry a whole document. */
const VALUE_LIMIT_CHARACTERS = 15_000

/**
 * Takes variables out of a tool's JSON answer: name → JSON path. Strings stay, numbers and booleans are written out, objects
 * and arrays become JSON; values are cut at 15,000 characters. What is `null` clears its variable. What is absent is left out,
 * and so is everything when the answer is not JSON.
 */
export function readResponseVariables(
  bodyText: string,
  paths: Readonly<Record<string, string>> | undefined,
): VariableUpdates {
  const entries = Object.entries(paths ?? {})
  if (entries.length === 0) return {}
  const body = parseJson(bodyText)
  if (body === undefined) return {}
  const found: [string, string | null][] = []
  for (const [name, path] of entries) {
    const steps = parseJsonPath(path)
    const value = steps === null ? undefined : readJsonPath(body, steps)
    if (value !== undefined) found.push([name, value === null ? null : toVariable(value)])
  }
  return Object.fromEntries(found)
}

function toVariable(value: Exclude<JsonValue, null>): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_LIMIT_CHARACTERS ? text.slice(0, VALUE_LIMIT_CHARACTERS) : text
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Variables of a tool that failed: what an earlier answer said of them no longer holds. */
export function clearResponseVariables(paths: Readonly<Record<string, string>> | undefined): VariableUpdates {
  return clearing(Object.keys(paths ?? {}))
}
