/** Prints JSON Schemas from the OpenAPI document as table cells: types, bounds and defaults. */

/** The subset of JSON Schema that the reference uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** Bounds that every integer has. */
const INTEGER_LIMITS: ReadonlySet<number> = new Set([2_147_483_647, Number.MAX_SAFE_INTEGER])

/** Returns the name of the referenced component, or `null` for an inline schema. */
export function getComponentName(schema: Schema): string | null {
  return schema.$ref?.replace('#/components/schemas/', '') ?? null
}

/** Returns the alternatives of a schema without `null`, or the schema itself if there are none. */
export function listVariants(schema: Schema): readonly Schema[] {
  const variants = schema.oneOf ?? schema.anyOf ?? [schema]
  return variants.filter((variant) => variant.type !== 'null')
}

/** Describes the type and bounds of a schema, with links to components. */
export function describeType(schema: Schema): string {
  const component = getComponentName(schema)
  if (component !== null) return `[${component}](#${toAnchor(component)})`
  const variants = schema.oneOf ?? schema.anyOf
  if (variants !== undefined) return [...new Set(variants.map(describeType))].join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(formatCode).join(', ')
  if (schema.const !== undefined) return formatCode(schema.const)
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  switch (schema.type) {
    case 'array':
      return `array of ${schema.items === undefined ? 'values' : describeType(schema.items)}${describeBounds(schema)}`
    case 'object':
      return describeObject(schema)
    case undefined:
      return 'any value'
    default:
      return `${schema.type}${describeFormat(schema)}${describeBounds(schema)}`
  }
}

function describeObject({ properties, additionalProperties }: Schema): string {
  const names = Object.keys(properties ?? {})
  if (names.length > 0) return `object with ${names.map((name) => `\`${name}\``).join(', ')}`
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  return Object.keys(values).length === 0 ? 'object' : `object of ${describeType(values)}`
}

function describeFormat({ format }: Schema): string {
  return format === undefined ? '' : ` (${format})`
}

function describeBounds(schema: Schema): string {
  const minimum = schema.minimum ?? schema.minLength ?? schema.minItems
  const maximum = schema.maximum ?? schema.maxLength ?? schema.maxItems
  const lowerBound = minimum === undefined || INTEGER_LIMITS.has(-minimum) ? undefined : minimum
  const upperBound = maximum === undefined || INTEGER_LIMITS.has(maximum) ? undefined : maximum
  const unit = schema.type === 'string' ? ' characters' : schema.type === 'array' ? ' items' : ''
  if (lowerBound !== undefined && upperBound !== undefined) return `, ${lowerBound} to ${upperBound}${unit}`
  if (lowerBound !== undefined) return `, from ${lowerBound}${unit}`
  return upperBound === undefined ? '' : `, at most ${upperBound}${unit}`
}

/** Formats a value as inline JSON code that is safe in a table. */
export function formatCode(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

/** Returns the Markdown anchor of a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** Returns the lines of a table with aligned columns, as the formatter requires, followed by an empty line. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  // Line breaks would end the row.
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('\n', ' ')))
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [headerCells = [], ...rowCells] = cells
  return [toLine(headerCells), toLine(widths.map((width) => '-'.repeat(width))), ...rowCells.map(toLine), '']
}
