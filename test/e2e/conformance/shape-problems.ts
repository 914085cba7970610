import type { Shape } from './specification-fields.ts'

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The types of a specification's tables; `null` where a field has no value. */
type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'date-time' | 'null'

/** Differences between a value and the specification, one line each. Additional fields are allowed. */
export function shapeProblems(value: unknown, shape: Shape, path = 'answer'): string[] {
  if (typeof shape === 'string') return typeProblems(value, shape, path)
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${path} is ${fieldType(value)}, not an array`]
    return value.flatMap((item, index) => shapeProblems(item, shape[0], `${path}[${index}]`))
  }
  if (fieldType(value) !== 'object') return [`${path} is ${fieldType(value)}, not an object`]
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(shape).flatMap(([name, field]) =>
    Object.hasOwn(fields, name)
      ? shapeProblems(fields[name], field, `${path}.${name}`)
      : [`${path}.${name} is missing`],
  )
}

function typeProblems(value: unknown, typeName: string, path: string): string[] {
  const type = fieldType(value)
  const expectedType = typeName.replace('?', '')
  const isNullable = typeName !== expectedType
  if (type === expectedType || (isNullable && type === 'null')) return []
  // Strings can look like dates, and numbers can be integers.
  if ((expectedType === 'string' && type === 'date-time') || (expectedType === 'number' && type === 'integer'))
    return []
  return [`${path} is ${type}, not ${typeName}`]
}

const isList = (shape: Exclude<Shape, string>): shape is readonly [Shape] => Array.isArray(shape)

/** The type of a JSON value, as a table of fields names it. */
function fieldType(value: unknown): FieldType {
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
