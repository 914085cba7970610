import type { JsonObject, JsonValue } from '../ports.ts'

/** Parses JSON; `undefined` when the text is not valid. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON object, such as the arguments of a tool call; `null` for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}
