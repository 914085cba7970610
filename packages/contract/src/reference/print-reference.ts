import { ERROR_STATUS, type ErrorCode } from '../errors.ts'
import { buildOpenApiDocument } from '../openapi.ts'
import { listPaths, type Operation } from '../operation.ts'
import { mergeSchemaVariants } from './merge-schema-variants.ts'
import {
  describeType,
  formatCode,
  formatTable,
  getComponentName,
  listVariants,
  type Schema,
  toAnchor,
} from './schema-text.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface DescribedOperation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<
    Record<string, Content & { readonly description?: string; readonly headers?: Readonly<Record<string, unknown>> }>
  >
}

/** The part of the OpenAPI document that the reference uses. */
interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Prints all operations and schemas as a Markdown page. */
export function printReference(operations: readonly Operation[]): string {
  const document = buildOpenApiDocument(operations) as unknown as Description
  const { schemas, printedName, relinkReferences } = mergeSchemaVariants(document.components.schemas)
  const description = relinkReferences(document)
  const bodyComponents = new Set(
    Object.values(description.paths)
      .flatMap(Object.values<DescribedOperation>)
      .map((described) => getBodyComponent(described)),
  )
  const lines = [
    '# API reference',
    '',
    `Printed by \`scripts/print-reference.ts\` from the contract, version ${description.info.version}. Do not edit.`,
    '',
    description.info.description.replaceAll('. ', '.\n'),
    '',
    'A running server provides the same content as an OpenAPI document at `/openapi.json`. See the ' +
      '[guides](../README.md) for tasks',
    'and [Errors and limits](../guides/errors-and-limits.md) for errors. In responses, required fields are always',
    'present.',
    '',
    ...printContents(operations, description),
  ]
  for (const { name, description: sentence } of description.tags) {
    lines.push(`## ${name}`, '', sentence, '')
    for (const operation of operations.filter(({ tag }) => tag === name)) {
      const described = description.paths[operation.path]?.[operation.method.toLowerCase()]
      if (described !== undefined) lines.push(...printSection(operation, described, schemas))
    }
  }
  lines.push('## Schemas', '')
  const printedNames = Object.keys(schemas).filter((name) => printedName(name) === name && !bodyComponents.has(name))
  for (const name of printedNames.sort()) lines.push(...printSchemaSection(name, schemas[name] ?? {}))
  lines.push(...printErrorSection())
  return `${lines.join('\n').trimEnd()}\n`
}

function printContents(operations: readonly Operation[], { tags }: Description): string[] {
  const lines = tags.flatMap(({ name }) => [
    `- ${name}`,
    ...operations
      .filter(({ tag }) => tag === name)
      .map(({ summary, method, path }) => `  - [${summary}](#${toAnchor(summary)}) \`${method} ${path}\``),
  ])
  return [...lines, '- [Schemas](#schemas)', '- [Error codes](#error-codes)', '']
}

function printSection(
  operation: Operation,
  described: DescribedOperation,
  schemas: Readonly<Record<string, Schema>>,
): string[] {
  const [path, alias] = listPaths(operation)
  return [
    `### ${operation.summary}`,
    '',
    `\`${operation.method} ${path}\``,
    '',
    ...(operation.description === undefined ? [] : [operation.description, '']),
    `- Alias: \`${operation.method} ${alias}\``,
    `- Right: ${describeAccess(operation)}`,
    `- Name: \`${operation.name}\``,
    '',
    ...printParameterTable(described.parameters ?? []),
    ...printBody(described, schemas),
    ...printResponses(described),
    ...printErrors(operation, described),
  ]
}

/** Returns the right that an operation requires. A guide contains the table of rights. */
function describeAccess({ access }: Operation): string {
  if (access === 'public') return 'none, no token needed'
  return access === 'session' ? 'a dashboard session' : `[\`${access}\`](../guides/access-and-tenancy.md)`
}

function printParameterTable(all: readonly Parameter[]): string[] {
  // A guide describes the context headers once, so operations do not repeat them.
  const parameters = all.filter(({ name }) => name !== undefined)
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: location, required, schema, description = '' }) => [
    `\`${name}\``,
    location,
    required ? 'yes' : 'no',
    `${describeType(schema)}${describeDefault(schema)}`,
    description,
  ])
  return formatTable(['parameter', 'in', 'required', 'type', 'description'], rows)
}

function getBodyComponent({ requestBody }: DescribedOperation): string | null {
  return getComponentName(requestBody?.content?.['application/json']?.schema ?? {})
}

function printBody({ requestBody }: DescribedOperation, schemas: Readonly<Record<string, Schema>>): string[] {
  const schema = requestBody?.content?.['application/json']?.schema
  if (schema === undefined) return []
  const resolvedSchema = schemas[getComponentName(schema) ?? ''] ?? schema
  const sentence = resolvedSchema.description === undefined ? '' : ` ${resolvedSchema.description}`
  return [`Body:${sentence}`, '', ...printFieldTable(resolvedSchema, true), ...printForm(requestBody)]
}

function printForm(body: Content | undefined): string[] {
  const files = body?.content?.['multipart/form-data']?.schema.allOf?.flatMap(
    ({ properties }) => properties?.files ?? [],
  )
  const description = files?.[0]?.description
  return description === undefined ? [] : [`As \`multipart/form-data\`, with \`files\`: ${description}`, '']
}

function printResponses({ responses }: DescribedOperation): string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {}, headers = {}, description = '' }]) => {
      const json = content['application/json']?.schema
      const isEventStream = 'text/event-stream' in content
      const eventDescription = isEventStream
        ? 'server-sent events, each a [TurnStreamEvent](../guides/streaming-and-resuming.md)'
        : ''
      const body = json === undefined ? eventDescription || 'no body' : describeType(json)
      const names = Object.keys(headers).map((name) => `\`${name}\``)
      const headerText = names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`
      const note = isEventStream && json === undefined && description.startsWith('With') ? ` ${description}` : ''
      return [`Returns ${status}: ${body}.${headerText}${note}`, '']
    })
}

function printErrors(operation: Operation, { responses }: DescribedOperation): string[] {
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'))
  const specificCodes: readonly ErrorCode[] = [
    ...(operation.pathParameters ? (['not_found'] as const) : []),
    ...(operation.errors ?? []),
  ]
  const codes = statuses.map((status) => {
    const named = specificCodes.filter((code) => ERROR_STATUS[code] === Number(status)).map((code) => `\`${code}\``)
    return named.length === 0 ? status : `${status} ${named.join(', ')}`
  })
  return [`Errors: ${codes.join(' · ')}`, '']
}

function printSchemaSection(name: string, schema: Schema): string[] {
  const sentence = schema.description === undefined ? [] : [schema.description, '']
  return [`### ${name}`, '', ...sentence, ...printSchemaBody(schema)]
}

function printSchemaBody(schema: Schema): string[] {
  if (schema.properties !== undefined) return printFieldTable(schema, false)
  const variants = listVariants(schema)
  if (variants.length === 1) return [`${describeType(schema)}.`, '']
  const inline = variants.filter((variant) => getComponentName(variant) === null && variant.properties !== undefined)
  if (inline.length === 0) return ['One of:', '', ...variants.map((variant) => `- ${describeType(variant)}`), '']
  return variants.flatMap((variant, index) => [index === 0 ? 'Either:' : 'Or:', '', ...printSchemaBody(variant)])
}

/**
 * Prints the fields of a schema as a table. The schema marks the workspace as optional only because the query can also contain
 * it.
 */
function printFieldTable(schema: Schema, isRequest: boolean): string[] {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return [`${describeType(schema)}.`, '']
  const required = new Set(schema.required ?? [])
  const isWorkspace = (name: string): boolean => isRequest && name === 'workspaceId'
  const rows = fields.map(([name, field]) => [
    `\`${name}\``,
    required.has(name) || isWorkspace(name) ? 'yes' : 'no',
    `${describeType(field)}${describeDefault(field)}`,
    getDescription(field),
  ])
  return formatTable(['field', 'required', 'type', 'description'], rows)
}

function getDescription(field: Schema): string {
  return field.description ?? ''
}

function describeDefault({ default: value }: Schema): string {
  return value === undefined ? '' : `; default ${formatCode(value)}`
}

function printErrorSection(): string[] {
  const codes = Object.entries(ERROR_STATUS) as [ErrorCode, number][]
  const statuses = [...new Set(codes.map(([, status]) => status))].sort((a, b) => a - b)
  const rows = statuses.map((status) => {
    const named = codes.filter(([, of]) => of === status).map(([code]) => `\`${code}\``)
    return [String(status), named.join(', ')]
  })
  return [
    '## Error codes',
    '',
    'The body of every error is an [Error](#error). If an operation lists a status without a code, the status represents ' +
      'the common codes',
    'for that status.',
    '',
    ...formatTable(['status', 'codes'], rows),
  ]
}
