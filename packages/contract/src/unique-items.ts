import type { z } from 'zod'

/** Reports all problems of a list together, even when some of its elements are invalid. */
export const DESPITE_OTHER_ISSUES = { when: ({ value }: { value: unknown }) => Array.isArray(value) }

export function duplicateMessage(value: string): string {
  return `must be unique: "${value}" is already used`
}

/** The fields of a list element, which may be invalid. */
export function fieldsOf(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? (item as Readonly<Record<string, unknown>>) : {}
}

/** Refuses the second of two elements with the same `key`, or the same `fallback` for elements without `key`. */
export function rejectDuplicates(key: string, fallback = key) {
  return (items: readonly unknown[], context: z.core.$RefinementCtx): void => {
    const seen = new Set<string>()
    items.forEach((item, index) => {
      const fields = fieldsOf(item)
      const name = fields[key] === undefined ? fallback : key
      const value = fields[name]
      if (typeof value !== 'string') return
      if (seen.has(value)) context.addIssue({ code: 'custom', path: [index, name], message: duplicateMessage(value) })
      seen.add(value)
    })
  }
}
