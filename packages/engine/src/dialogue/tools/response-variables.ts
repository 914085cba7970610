import type { JsonValue } from '../../ports.ts'
import { parseJsonPath, readJsonPath } from '../variables/json-path.ts'

/** Variables are written with every turn, so one of them may not carry a whole document. */
const VALUE_LIMIT_CHARACTERS = 15_000

/**
 * Takes variables out of a tool's JSON answer: name → JSON path. Strings stay, numbers and booleans are written out, objects
 * and arrays become JSON; values are cut at 15,000 characters. What is absent or `null` is left out, and so is everything
 * when the answer is not JSON.
 */
export function readResponseVariables(
  bodyText: string,
  paths: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const entries = Object.entries(paths ?? {})
  if (entries.length === 0) return {}
  const body = parseJson(bodyText)
  if (body === undefined) return {}
  const found: [string, string][] = []
  for (const [name, path] of entries) {
    const steps = parseJsonPath(path)
    const value = steps === null ? undefined : readJsonPath(body, steps)
    if (value !== undefined && value !== null) found.push([name, toVariable(value)])
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
