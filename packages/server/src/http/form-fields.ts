import type { ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'
import { collapseName, unwrapSchema } from './normalize-names.ts'

type FieldFormat = 'text' | 'json' | 'either'

/** How to parse a form field: as text or JSON, and as a single value or a list. */
interface FieldKind {
  readonly format: FieldFormat
  readonly isList: boolean
}

interface KnownField extends FieldKind {
  /** Field name as spelled in the schema. */
  readonly name: string
}

/** A received form field. */
export interface FormField {
  readonly name: string
  readonly value: string
}

export interface FormValues {
  readonly body: Readonly<Record<string, unknown>>
  readonly problems: readonly ErrorDetail[]
}

const UNKNOWN_FIELD: FieldKind = { format: 'either', isList: false }

/**
 * Compiles a body schema into a form parser that produces the values of a JSON body. Non-string fields contain JSON.
 * Repeated fields and names ending in `[]` form lists.
 */
export function createFormParser(schema: z.ZodType): (fields: readonly FormField[]) => FormValues {
  const knownFields = listKnownFields(schema)
  return (fields) => {
    const values = new Map<string, unknown>()
    const problems: ErrorDetail[] = []
    for (const { name: rawName, value } of fields) {
      const baseName = rawName.endsWith('[]') ? rawName.slice(0, -2) : rawName
      const { name, format, isList } = knownFields.get(collapseName(baseName)) ?? { ...UNKNOWN_FIELD, name: baseName }
      const parsedValue = parseValue(value, isList && format === 'text' ? 'list-of-texts' : format)
      if (parsedValue === undefined) problems.push({ path: name, message: 'must be JSON in a form' })
      else if (isList) values.set(name, [...toItems(values.get(name)), ...toItems(parsedValue.value)])
      else if (values.has(name)) problems.push({ path: name, message: 'must be sent once' })
      else values.set(name, parsedValue.value)
    }
    return { body: Object.fromEntries(values), problems }
  }
}

function toItems(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** Parses a field value. Returns undefined for invalid JSON. */
function parseValue(text: string, format: FieldFormat | 'list-of-texts'): { readonly value: unknown } | undefined {
  if (format === 'text') return { value: text }
  if (format === 'list-of-texts' && !text.trimStart().startsWith('[')) return { value: text }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return format === 'json' ? undefined : { value: text }
  }
}

function listKnownFields(schema: z.core.$ZodType): ReadonlyMap<string, KnownField> {
  const { def } = unwrapSchema(schema)._zod
  const shape = def.type === 'object' ? Object.entries(def.shape) : []
  return new Map(shape.map(([name, field]) => [collapseName(name), { name, ...getFieldKind(field) }]))
}

function getFieldKind(schema: z.core.$ZodType): FieldKind {
  const { def } = unwrapSchema(schema)._zod
  return def.type === 'array'
    ? { format: getFieldFormat(def.element), isList: true }
    : { format: getFieldFormat(schema), isList: false }
}

function getFieldFormat(schema: z.core.$ZodType): FieldFormat {
  const { def } = unwrapSchema(schema)._zod
  switch (def.type) {
    case 'string':
    case 'template_literal':
      return 'text'
    case 'enum':
      return getCommonFormat(Object.values(def.entries))
    case 'literal':
      return getCommonFormat(def.values)
    case 'union': {
      const formats = new Set(def.options.map(getFieldFormat))
      const [firstFormat] = formats
      return formats.size === 1 && firstFormat !== undefined ? firstFormat : 'either'
    }
    case 'any':
    case 'unknown':
      return 'either'
    default:
      return 'json'
  }
}

function getCommonFormat(values: readonly unknown[]): FieldFormat {
  return values.every((value) => typeof value === 'string') ? 'text' : 'either'
}
