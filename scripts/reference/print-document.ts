import { ERROR_STATUS, type ErrorCode } from '@parley/contract/errors'
import { openApiDocument } from '@parley/contract/openapi'
import { type Operation, pathsOf } from '@parley/contract/operation'
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

/** What is read of the OpenAPI document. */
interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Prints every operation and every schema as one page of Markdown. */
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
    'A running server answers the same as an OpenAPI document at `/openapi.json`. Tasks are explained in the',
    '[guides](../README.md), errors in [Errors and limits](../guides/errors-and-limits.md). In what is answered, a required field',
    'is one that is always there.',
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

/** The right that an operation needs; the table of them stands in a guide. */
function accessText({ access }: Operation): string {
  if (access === 'public') return 'none, needs no token'
  return access === 'session' ? 'a login of the dashboard' : `[\`${access}\`](../guides/access-and-tenancy.md)`
}

function parameterTable(all: readonly Parameter[]): string[] {
  // The context headers are explained once, not at every operation.
  const parameters = all.filter(({ name }) => name !== undefined)
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: location, required, schema, description = '' }) => [
    `\`${name}\``,
    location,
    required ? 'yes' : 'no',
    `${typeText(schema)}${defaultText(schema)}`,
    description,
  ])
  return tableLines(['parameter', 'in', 'required', 'type', 'meaning'], rows)
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
  return description === undefined ? [] : [`As \`multipart/form-data\` with \`files\` beside it: ${description}`, '']
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
      return [`Answers ${status}: ${body}.${withHeaders}${note}`, '']
    })
}

function errorPart(operation: Operation, { responses }: DescribedOperation): string[] {
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'))
  const own = operation.errors ?? []
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

/** The workspace of a request is optional in its schema only because it may stand in the query as well. */
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
  return tableLines(['field', 'required', 'type', 'meaning'], rows)
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
    'The body of every error is an [Error](#error). Statuses that an operation lists without a code stand for the common',
    'codes of that status.',
    '',
    ...tableLines(['status', 'codes'], rows),
  ]
}
