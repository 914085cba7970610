const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The types of a specification's tables; `null` where a field has no value. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'date-time' | 'null'

/** The type of a JSON value, as a table of fields names it. */
export function fieldType(value: unknown): FieldType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return DATE_TIME.test(value) ? 'date-time' : 'string'
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'object'
  }
}

/** Every field of an answer with its type: to be held against a table. */
export function fieldTypes(value: object): Record<string, FieldType> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fieldType(field)]))
}
