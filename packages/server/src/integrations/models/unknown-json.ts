import type { JsonObject } from '@parley/engine/ports'

/** The value as an object that can be looked into, or null. What comes over the wire is never trusted to have its shape. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** The value if it is text, else ''. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The value as a count, or null: not a number, negative or infinite. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

/** Parses text into whatever it is; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Arguments as an object for a provider's history. Providers refuse a history whose arguments are no JSON object, so what
 * a model wrote wrongly is handed back to it inside one.
 */
export function argumentsObject(argumentsText: string): JsonObject {
  if (argumentsText.trim() === '') return {}
  const parsed = asObject(parseJson(argumentsText))
  return parsed === null ? { invalid_arguments: argumentsText } : (parsed as JsonObject)
}
