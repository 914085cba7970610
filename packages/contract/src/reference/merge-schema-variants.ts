import { getComponentName, type Schema } from './schema-text.ts'

type Schemas = Readonly<Record<string, Schema>>

export interface MergedSchemas {
  readonly schemas: Schemas
  /** Returns the name of the printed schema. */
  getPrintedName(name: string): string
  /** Returns the value with all references pointing at printed schemas. */
  relinkReferences<Value>(value: Value): Value
}

/** Merges `X` with `XOutput` or `XInput` if both have the same fields and differ only in whether they allow unknown fields. */
export function mergeSchemaVariants(schemas: Schemas): MergedSchemas {
  const canonicalForms = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, toCanonicalForm(schema, schemas)]),
  )
  const getPrintedName = (name: string): string => {
    const baseName = name.replace(/(?:Output|Input)$/, '')
    return canonicalForms.has(baseName) && canonicalForms.get(baseName) === canonicalForms.get(name) ? baseName : name
  }
  const relinkReferences = <Value>(value: Value): Value => replaceReferences(value, getPrintedName) as Value
  return { schemas: relinkReferences(schemas), getPrintedName, relinkReferences }
}

function toCanonicalForm(schema: Schema, schemas: Schemas): string {
  return JSON.stringify(inlineReferences(schema, schemas))
}

function inlineReferences(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineReferences(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const component = getComponentName(value)
  if (component !== null) return inlineReferences(schemas[component], schemas)
  const entries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false)
  return Object.fromEntries(entries.map(([key, item]) => [key, inlineReferences(item, schemas)]))
}

function replaceReferences(value: unknown, getPrintedName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, getPrintedName))
  if (typeof value !== 'object' || value === null) return value
  const component = getComponentName(value)
  if (component !== null) return { ...value, $ref: `#/components/schemas/${getPrintedName(component)}` }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceReferences(item, getPrintedName)]))
}
