import type { JsonObject } from '@parley/engine/ports'

/** The value as an object with unknown fields, or null. Received data never has a trusted shape. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** The value if it is a string, otherwise ''. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The value as a count; null when it is not a number, negative or infinite. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

/** Parses JSON; undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Arguments as an object for a provider's history. Providers reject other arguments, so invalid ones are wrapped in an
 * object.
 */
export function argumentsObject(argumentsText: string): JsonObject {
  if (argumentsText.trim() === '') return {}
  const parsed = asObject(parseJson(argumentsText))
  return parsed === null ? { invalid_arguments: argumentsText } : (parsed as JsonObject)
}
