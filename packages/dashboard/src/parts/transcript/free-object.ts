/** Custom data of a customer: any names with any JSON. */
export type FreeObject = Readonly<Record<string, unknown>>

/** Texts as they are, other values as JSON. */
export function printValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Reads a JSON object; null for anything else, and an empty object for an empty text. */
export function readObject(text: string): FreeObject | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FreeObject) : null
  } catch {
    return null
  }
}
