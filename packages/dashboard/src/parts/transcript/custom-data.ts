/** Custom data of a customer: any names with any JSON. */
export type CustomData = Readonly<Record<string, unknown>>

/** Texts unchanged, other values as JSON. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Reads a JSON object; null for anything else, and an empty object for an empty text. */
export function readObject(text: string): CustomData | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as CustomData) : null
  } catch {
    return null
  }
}
