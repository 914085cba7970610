import { componentOf, type Schema } from './schema-text.ts'

type Schemas = Readonly<Record<string, Schema>>

export interface JoinedSchemas {
  readonly schemas: Schemas
  /** The name under which a schema is printed. */
  shownAs(name: string): string
  /** The same value with its references pointing at what is printed. */
  joinIn<Value>(value: Value): Value
}

/**
 * The document has `X` and `XOutput` (or `XInput`) wherever the two forms differ, if only in how strict they are about unknown
 * fields. To a reader two forms with the same fields are one.
 */
export function joinTwins(schemas: Schemas): JoinedSchemas {
  const meanings = new Map(Object.entries(schemas).map(([name, schema]) => [name, meaningOf(schema, schemas)]))
  const shownAs = (name: string): string => {
    const twin = name.replace(/(?:Output|Input)$/, '')
    return meanings.has(twin) && meanings.get(twin) === meanings.get(name) ? twin : name
  }
  const joinIn = <Value>(value: Value): Value => relink(value, shownAs) as Value
  return { schemas: joinIn(schemas), shownAs, joinIn }
}

function meaningOf(schema: Schema, schemas: Schemas): string {
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

function relink(value: unknown, shownAs: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => relink(item, shownAs))
  if (typeof value !== 'object' || value === null) return value
  const component = componentOf(value)
  if (component !== null) return { ...value, $ref: `#/components/schemas/${shownAs(component)}` }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, relink(item, shownAs)]))
}
