import { componentOf, type Schema } from './schema-text.ts'

type Schemas = Readonly<Record<string, Schema>>

export interface MergedSchemas {
  readonly schemas: Schemas
  /** Name of the printed schema. */
  printedName(name: string): string
  /** The value with its references pointing at printed schemas. */
  relinkReferences<Value>(value: Value): Value
}

/**
 * Merges `X` with `XOutput` or `XInput` if both have the same fields and differ only in how strict they are about
 * unknown ones.
 */
export function mergeSchemaVariants(schemas: Schemas): MergedSchemas {
  const canonicalForms = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, canonicalForm(schema, schemas)]),
  )
  const printedName = (name: string): string => {
    const baseName = name.replace(/(?:Output|Input)$/, '')
    return canonicalForms.has(baseName) && canonicalForms.get(baseName) === canonicalForms.get(name) ? baseName : name
  }
  const relinkReferences = <Value>(value: Value): Value => relink(value, printedName) as Value
  return { schemas: relinkReferences(schemas), printedName, relinkReferences }
}

function canonicalForm(schema: Schema, schemas: Schemas): string {
  return JSON.stringify(follow(schema, schemas))
}

function follow(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((item) => follow(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const component = componentOf(value)
  if (component !== null) return follow(schemas[component], schemas)
  const entries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false)
  return Object.fromEntries(entries.map(([key, item]) => [key, follow(item, schemas)]))
}

function relink(value: unknown, printedName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => relink(item, printedName))
  if (typeof value !== 'object' || value === null) return value
  const component = componentOf(value)
  if (component !== null) return { ...value, $ref: `#/components/schemas/${printedName(component)}` }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, relink(item, printedName)]))
}
