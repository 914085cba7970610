import { fieldType } from '../../../testing/field-types.ts'
import type { Shape } from './specification-fields.ts'

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
