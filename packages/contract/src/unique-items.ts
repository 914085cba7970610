import type { z } from 'zod'

/** Option that also runs a list's checks if some of its elements are invalid. */
export const DESPITE_OTHER_ISSUES = { when: ({ value }: { value: unknown }) => Array.isArray(value) }

export function describeDuplicate(value: string): string {
  return `must be unique: "${value}" is already used`
}

/** Returns the fields of a list element, which can be invalid. */
export function toFields(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? (item as Readonly<Record<string, unknown>>) : {}
}

/** Creates a check that rejects elements with the same `key`, or the same `fallback` for elements without `key`. */
export function rejectDuplicates(key: string, fallback = key) {
  return (items: readonly unknown[], context: z.core.$RefinementCtx): void => {
    const seenValues = new Set<string>()
    items.forEach((item, index) => {
      const fields = toFields(item)
      const name = fields[key] === undefined ? fallback : key
      const value = fields[name]
      if (typeof value !== 'string') return
      if (seenValues.has(value))
        context.addIssue({ code: 'custom', path: [index, name], message: describeDuplicate(value) })
      seenValues.add(value)
    })
  }
}
