/** Customer-defined JSON data. */
export type CustomData = Readonly<Record<string, unknown>>

/** Returns text unchanged and formats other values as JSON. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Reads a JSON object. Returns an empty object for empty text, and null for any other value. */
export function readObject(text: string): CustomData | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as CustomData) : null
  } catch {
    return null
  }
}
