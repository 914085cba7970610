/** Prints JSON Schemas of the OpenAPI document as table cells: types, bounds and defaults. */

/** The used subset of JSON Schema. */
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

/** Bounds that only limit a value to an integer. */
const INTEGER_LIMITS: ReadonlySet<number> = new Set([2_147_483_647, Number.MAX_SAFE_INTEGER])

/** Name of the referenced component; `null` for an inline schema. */
export function componentOf(schema: Schema): string | null {
  return schema.$ref?.replace('#/components/schemas/', '') ?? null
}

/** Alternatives of a schema without `null`, or the schema itself. */
export function variantsOf(schema: Schema): readonly Schema[] {
  const variants = schema.oneOf ?? schema.anyOf ?? [schema]
  return variants.filter((variant) => variant.type !== 'null')
}

/** Type and bounds in a few words, with links to components. */
export function typeText(schema: Schema): string {
  const component = componentOf(schema)
  if (component !== null) return `[${component}](#${anchorOf(component)})`
  const variants = schema.oneOf ?? schema.anyOf
  if (variants !== undefined) return [...new Set(variants.map(typeText))].join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(codeText).join(', ')
  if (schema.const !== undefined) return codeText(schema.const)
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  switch (schema.type) {
    case 'array':
      return `array of ${schema.items === undefined ? 'values' : typeText(schema.items)}${boundsText(schema)}`
    case 'object':
      return objectText(schema)
    case undefined:
      return 'any value'
    default:
      return `${schema.type}${formatText(schema)}${boundsText(schema)}`
  }
}

function objectText({ properties, additionalProperties }: Schema): string {
  const names = Object.keys(properties ?? {})
  if (names.length > 0) return `object with ${names.map((name) => `\`${name}\``).join(', ')}`
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  return Object.keys(values).length === 0 ? 'object' : `object of ${typeText(values)}`
}

function formatText({ format }: Schema): string {
  return format === undefined ? '' : ` (${format})`
}

function boundsText(schema: Schema): string {
  const from = schema.minimum ?? schema.minLength ?? schema.minItems
  const to = schema.maximum ?? schema.maxLength ?? schema.maxItems
  const lower = from === undefined || INTEGER_LIMITS.has(-from) ? undefined : from
  const upper = to === undefined || INTEGER_LIMITS.has(to) ? undefined : to
  const unit = schema.type === 'string' ? ' characters' : schema.type === 'array' ? ' items' : ''
  if (lower !== undefined && upper !== undefined) return `, ${lower} to ${upper}${unit}`
  if (lower !== undefined) return `, from ${lower}${unit}`
  return upper === undefined ? '' : `, at most ${upper}${unit}`
}

/** A value as inline JSON code, safe in a table. */
export function codeText(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

/** Anchor of a heading in Markdown. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** A table with aligned columns, as the formatter requires, followed by an empty line. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  // Line breaks would end the row.
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('\n', ' ')))
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [toLine(first), toLine(widths.map((width) => '-'.repeat(width))), ...others.map(toLine), '']
}
