import { ERROR_STATUS, type ErrorCode } from '../errors.ts'
import { openApiDocument } from '../openapi.ts'
import { type Operation, pathsOf } from '../operation.ts'
import { mergeSchemaVariants } from './merge-schema-variants.ts'
import { anchorOf, codeText, componentOf, type Schema, tableLines, typeText, variantsOf } from './schema-text.ts'

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

/** The used parts of the OpenAPI document. */
interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Prints all operations and schemas as a Markdown page. */
export function printReference(operations: readonly Operation[]): string {
  const document = openApiDocument(operations) as unknown as Description
  const { schemas, printedName, relinkReferences } = mergeSchemaVariants(document.components.schemas)
  const description = relinkReferences(document)
  const inBodies = new Set(
    Object.values(description.paths)
      .flatMap(Object.values<DescribedOperation>)
      .map((described) => bodyComponent(described)),
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
    ...contents(operations, description),
  ]
  for (const { name, description: sentence } of description.tags) {
    lines.push(`## ${name}`, '', sentence, '')
    for (const operation of operations.filter(({ tag }) => tag === name)) {
      const described = description.paths[operation.path]?.[operation.method.toLowerCase()]
      if (described !== undefined) lines.push(...section(operation, described, schemas))
    }
  }
  lines.push('## Schemas', '')
  const printed = Object.keys(schemas).filter((name) => printedName(name) === name && !inBodies.has(name))
  for (const name of printed.sort()) lines.push(...schemaSection(name, schemas[name] ?? {}))
  lines.push(...errorSection())
  return `${lines.join('\n').trimEnd()}\n`
}

function contents(operations: readonly Operation[], { tags }: Description): string[] {
  const lines = tags.flatMap(({ name }) => [
    `- ${name}`,
    ...operations
      .filter(({ tag }) => tag === name)
      .map(({ summary, method, path }) => `  - [${summary}](#${anchorOf(summary)}) \`${method} ${path}\``),
  ])
  return [...lines, '- [Schemas](#schemas)', '- [Error codes](#error-codes)', '']
}

function section(
  operation: Operation,
  described: DescribedOperation,
  schemas: Readonly<Record<string, Schema>>,
): string[] {
  const [path, alias] = pathsOf(operation)
  return [
    `### ${operation.summary}`,
    '',
    `\`${operation.method} ${path}\``,
    '',
    ...(operation.description === undefined ? [] : [operation.description, '']),
    `- Alias: \`${operation.method} ${alias}\``,
    `- Right: ${accessText(operation)}`,
    `- Name: \`${operation.name}\``,
    '',
    ...parameterTable(described.parameters ?? []),
    ...bodyPart(described, schemas),
    ...responsePart(described),
    ...errorPart(operation, described),
  ]
}

/** Right that an operation needs. A guide contains the table of rights. */
function accessText({ access }: Operation): string {
  if (access === 'public') return 'none, no token needed'
  return access === 'session' ? 'a dashboard session' : `[\`${access}\`](../guides/access-and-tenancy.md)`
}

function parameterTable(all: readonly Parameter[]): string[] {
  // Context headers are described once in a guide, not for every operation.
  const parameters = all.filter(({ name }) => name !== undefined)
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: location, required, schema, description = '' }) => [
    `\`${name}\``,
    location,
    required ? 'yes' : 'no',
    `${typeText(schema)}${defaultText(schema)}`,
    description,
  ])
  return tableLines(['parameter', 'in', 'required', 'type', 'description'], rows)
}

function bodyComponent({ requestBody }: DescribedOperation): string | null {
  return componentOf(requestBody?.content?.['application/json']?.schema ?? {})
}

function bodyPart({ requestBody }: DescribedOperation, schemas: Readonly<Record<string, Schema>>): string[] {
  const schema = requestBody?.content?.['application/json']?.schema
  if (schema === undefined) return []
  const resolved = schemas[componentOf(schema) ?? ''] ?? schema
  const sentence = resolved.description === undefined ? '' : ` ${resolved.description}`
  return [`Body:${sentence}`, '', ...fieldTable(resolved, true), ...formPart(requestBody)]
}

function formPart(body: Content | undefined): string[] {
  const files = body?.content?.['multipart/form-data']?.schema.allOf?.flatMap(
    ({ properties }) => properties?.files ?? [],
  )
  const description = files?.[0]?.description
  return description === undefined ? [] : [`As \`multipart/form-data\`, with \`files\`: ${description}`, '']
}

function responsePart({ responses }: DescribedOperation): string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {}, headers = {}, description = '' }]) => {
      const json = content['application/json']?.schema
      const events = 'text/event-stream' in content
      const what = events ? 'server-sent events, each a [TurnStreamEvent](../guides/streaming-and-resuming.md)' : ''
      const body = json === undefined ? what || 'no body' : typeText(json)
      const names = Object.keys(headers).map((name) => `\`${name}\``)
      const withHeaders = names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`
      const note = events && json === undefined && description.startsWith('With') ? ` ${description}` : ''
      return [`Returns ${status}: ${body}.${withHeaders}${note}`, '']
    })
}

function errorPart(operation: Operation, { responses }: DescribedOperation): string[] {
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'))
  const own: readonly ErrorCode[] = [
    ...(operation.pathParameters ? (['not_found'] as const) : []),
    ...(operation.errors ?? []),
  ]
  const codes = statuses.map((status) => {
    const named = own.filter((code) => ERROR_STATUS[code] === Number(status)).map((code) => `\`${code}\``)
    return named.length === 0 ? status : `${status} ${named.join(', ')}`
  })
  return [`Errors: ${codes.join(' · ')}`, '']
}

function schemaSection(name: string, schema: Schema): string[] {
  const sentence = schema.description === undefined ? [] : [schema.description, '']
  return [`### ${name}`, '', ...sentence, ...schemaBody(schema)]
}

function schemaBody(schema: Schema): string[] {
  if (schema.properties !== undefined) return fieldTable(schema, false)
  const variants = variantsOf(schema)
  if (variants.length === 1) return [`${typeText(schema)}.`, '']
  const inline = variants.filter((variant) => componentOf(variant) === null && variant.properties !== undefined)
  if (inline.length === 0) return ['One of:', '', ...variants.map((variant) => `- ${typeText(variant)}`), '']
  return variants.flatMap((variant, index) => [index === 0 ? 'Either:' : 'Or:', '', ...schemaBody(variant)])
}

/** The workspace is only optional in the schema because it can also be in the query. */
function fieldTable(schema: Schema, isRequest: boolean): string[] {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return [`${typeText(schema)}.`, '']
  const required = new Set(schema.required ?? [])
  const workspace = (name: string): boolean => isRequest && name === 'workspaceId'
  const rows = fields.map(([name, field]) => [
    `\`${name}\``,
    required.has(name) || workspace(name) ? 'yes' : 'no',
    `${typeText(field)}${defaultText(field)}`,
    descriptionOf(field),
  ])
  return tableLines(['field', 'required', 'type', 'description'], rows)
}

function descriptionOf(field: Schema): string {
  return field.description ?? ''
}

function defaultText({ default: value }: Schema): string {
  return value === undefined ? '' : `; default ${codeText(value)}`
}

function errorSection(): string[] {
  const codes = Object.entries(ERROR_STATUS) as [ErrorCode, number][]
  const statuses = [...new Set(codes.map(([, status]) => status))].sort((a, b) => a - b)
  const rows = statuses.map((status) => {
    const named = codes.filter(([, of]) => of === status).map(([code]) => `\`${code}\``)
    return [String(status), named.join(', ')]
  })
  return [
    '## Error codes',
    '',
    'The body of every error is an [Error](#error). A status without a code in the list of an operation stands ' +
      'for the common codes',
    'of that status.',
    '',
    ...tableLines(['status', 'codes'], rows),
  ]
}
