/** Data of a customer's own: any names with any JSON. */
export type FreeObject = Readonly<Record<string, unknown>>

/** A value as people read it: texts as they are, everything else as JSON. */
export function printValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** An object that was typed as JSON; null for anything else. Nothing at all is an empty object. */
export function readObject(text: string): FreeObject | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FreeObject) : null
  } catch {
    return null
  }
}
