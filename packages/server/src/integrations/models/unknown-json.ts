import type { JsonObject } from '@parley/engine/ports'

/**
 * Returns the value as an object with unknown fields, or null if it is not an object. The shape of received data is never
 * trusted.
 */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Returns the value if it is a string; otherwise ''. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the value if it is a count, or null if it is not a number, negative or infinite. */
export function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

/** Parses JSON. Returns undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses arguments into an object for a vendor's history. Vendors reject other arguments, so invalid arguments are wrapped in
 * an object.
 */
export function parseArguments(argumentsText: string): JsonObject {
  if (argumentsText.trim() === '') return {}
  const parsedArguments = toObject(parseJson(argumentsText))
  return parsedArguments === null ? { invalid_arguments: argumentsText } : (parsedArguments as JsonObject)
}
