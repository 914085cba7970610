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

interface OperationObject {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<
    Record<string, Content & { readonly description?: string; readonly headers?: Readonly<Record<string, unknown>> }>
  >
}

/** The part of the OpenAPI document that the reference uses. */
interface OpenApiDocument {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Prints all operations and schemas as a Markdown page. */
export function printReference(operations: readonly Operation[]): string {
  const document = buildOpenApiDocument(operations) as unknown as OpenApiDocument
  const { schemas, getPrintedName, relinkReferences } = mergeSchemaVariants(document.components.schemas)
  const description = relinkReferences(document)
  const bodyComponents = new Set(
    Object.values(description.paths)
      .flatMap(Object.values<OperationObject>)
      .map((operationObject) => getBodyComponent(operationObject)),
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
  for (const { name, description: tagDescription } of description.tags) {
    lines.push(`## ${name}`, '', tagDescription, '')
    for (const operation of operations.filter(({ tag }) => tag === name)) {
      const operationObject = description.paths[operation.path]?.[operation.method.toLowerCase()]
      if (operationObject !== undefined) lines.push(...printSection(operation, operationObject, schemas))
    }
  }
  lines.push('## Schemas', '')
  const printedNames = Object.keys(schemas).filter((name) => getPrintedName(name) === name && !bodyComponents.has(name))
  for (const name of printedNames.sort()) lines.push(...printSchemaSection(name, schemas[name] ?? {}))
  lines.push(...printErrorSection())
  return `${lines.join('\n').trimEnd()}\n`
}

function printContents(operations: readonly Operation[], { tags }: OpenApiDocument): string[] {
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
  operationObject: OperationObject,
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
    ...printParameterTable(operationObject.parameters ?? []),
    ...printBody(operationObject, schemas),
    ...printResponses(operationObject),
    ...printErrors(operation, operationObject),
  ]
}

/** Returns the right that an operation requires. A guide contains the table of rights. */
function describeAccess({ access }: Operation): string {
  if (access === 'public') return 'none, no token needed'
  return access === 'session' ? 'a dashboard session' : `[\`${access}\`](../guides/access-and-tenancy.md)`
}

function printParameterTable(documentParameters: readonly Parameter[]): string[] {
  // A guide describes the context headers once, so operations do not repeat them.
  const parameters = documentParameters.filter(({ name }) => name !== undefined)
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

function getBodyComponent({ requestBody }: OperationObject): string | null {
  return getComponentName(requestBody?.content?.['application/json']?.schema ?? {})
}

function printBody({ requestBody }: OperationObject, schemas: Readonly<Record<string, Schema>>): string[] {
  const schema = requestBody?.content?.['application/json']?.schema
  if (schema === undefined) return []
  const resolvedSchema = schemas[getComponentName(schema) ?? ''] ?? schema
  const description = resolvedSchema.description === undefined ? '' : ` ${resolvedSchema.description}`
  return [`Body:${description}`, '', ...printFieldTable(resolvedSchema, true), ...printForm(requestBody)]
}

function printForm(body: Content | undefined): string[] {
  const files = body?.content?.['multipart/form-data']?.schema.allOf?.flatMap(
    ({ properties }) => properties?.files ?? [],
  )
  const description = files?.[0]?.description
  return description === undefined ? [] : [`As \`multipart/form-data\`, with \`files\`: ${description}`, '']
}

function printResponses({ responses }: OperationObject): string[] {
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

function printErrors(operation: Operation, { responses }: OperationObject): string[] {
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'))
  const specificCodes: readonly ErrorCode[] = [
    ...(operation.pathParameters ? (['not_found'] as const) : []),
    ...(operation.errors ?? []),
  ]
  const codes = statuses.map((status) => {
    const codeNames = specificCodes.filter((code) => ERROR_STATUS[code] === Number(status)).map((code) => `\`${code}\``)
    return codeNames.length === 0 ? status : `${status} ${codeNames.join(', ')}`
  })
  return [`Errors: ${codes.join(' · ')}`, '']
}

function printSchemaSection(name: string, schema: Schema): string[] {
  const description = schema.description === undefined ? [] : [schema.description, '']
  return [`### ${name}`, '', ...description, ...printSchemaBody(schema)]
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
  const requiredNames = new Set(schema.required ?? [])
  const isWorkspace = (name: string): boolean => isRequest && name === 'workspaceId'
  const rows = fields.map(([name, field]) => [
    `\`${name}\``,
    requiredNames.has(name) || isWorkspace(name) ? 'yes' : 'no',
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
    const codeNames = codes.filter(([, codeStatus]) => codeStatus === status).map(([code]) => `\`${code}\``)
    return [String(status), codeNames.join(', ')]
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
