import type { ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'
import { collapse, unwrap } from './normalize-names.ts'

type FieldBase = 'text' | 'json' | 'either'

/** Conversion of a form field into a value: text or JSON, single or as a list of repeated fields. */
interface FieldKind {
  readonly base: FieldBase
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

const FREE: FieldKind = { base: 'either', isList: false }

/**
 * Compiles a body schema into a form parser that produces the values of a JSON body. Non-string fields contain JSON. Repeated
 * fields and names ending in `[]` form lists.
 */
export function createFieldReader(schema: z.ZodType): (fields: readonly FormField[]) => FormValues {
  const known = knownFields(schema)
  return (fields) => {
    const values = new Map<string, unknown>()
    const problems: ErrorDetail[] = []
    for (const { name: rawName, value } of fields) {
      const baseName = rawName.endsWith('[]') ? rawName.slice(0, -2) : rawName
      const { name, base, isList } = known.get(collapse(baseName)) ?? { ...FREE, name: baseName }
      const read = readValue(value, isList && base === 'text' ? 'list-of-texts' : base)
      if (read === undefined) problems.push({ path: name, message: 'must be JSON in a form' })
      else if (isList) values.set(name, [...toItems(values.get(name)), ...toItems(read.value)])
      else if (values.has(name)) problems.push({ path: name, message: 'must be sent once' })
      else values.set(name, read.value)
    }
    return { body: Object.fromEntries(values), problems }
  }
}

function toItems(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** Parses a field value. Returns undefined for invalid JSON. */
function readValue(text: string, base: FieldBase | 'list-of-texts'): { readonly value: unknown } | undefined {
  if (base === 'text') return { value: text }
  if (base === 'list-of-texts' && !text.trimStart().startsWith('[')) return { value: text }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return base === 'json' ? undefined : { value: text }
  }
}

function knownFields(schema: z.core.$ZodType): ReadonlyMap<string, KnownField> {
  const { def } = unwrap(schema)._zod
  const shape = def.type === 'object' ? Object.entries(def.shape) : []
  return new Map(shape.map(([name, field]) => [collapse(name), { name, ...getFieldKind(field) }]))
}

function getFieldKind(schema: z.core.$ZodType): FieldKind {
  const { def } = unwrap(schema)._zod
  return def.type === 'array'
    ? { base: getFieldBase(def.element), isList: true }
    : { base: getFieldBase(schema), isList: false }
}

function getFieldBase(schema: z.core.$ZodType): FieldBase {
  const { def } = unwrap(schema)._zod
  switch (def.type) {
    case 'string':
    case 'template_literal':
      return 'text'
    case 'enum':
      return getCommonBase(Object.values(def.entries))
    case 'literal':
      return getCommonBase(def.values)
    case 'union': {
      const bases = new Set(def.options.map(getFieldBase))
      const [first] = bases
      return bases.size === 1 && first !== undefined ? first : 'either'
    }
    case 'any':
    case 'unknown':
      return 'either'
    default:
      return 'json'
  }
}

function getCommonBase(values: readonly unknown[]): FieldBase {
  return values.every((value) => typeof value === 'string') ? 'text' : 'either'
}
