import { z } from 'zod'
import { ACTOR_ROLES, RIGHTS } from './access.ts'
import { ERROR_STATUS, ErrorBody, type ErrorCode } from './errors.ts'
import { type Operation, takesIdempotencyKey } from './operation.ts'

/** Version of the API. */
export const API_VERSION = '2026-04-20'

type Json = { [key: string]: unknown }

/** Groups of operations, in the order of the documentation. */
const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Workspaces', description: 'Workspaces that the token can access. Every resource belongs to a workspace.' },
  { name: 'LLM Models', description: 'Versioned prompts, models and tools of agents.' },
  { name: 'Agents', description: 'Versioned voice agents, each with a response engine and conversation settings.' },
  { name: 'Chat Agents', description: 'Versioned agents for written conversations only, without a voice.' },
  { name: 'Chats', description: 'Written conversations with an agent, streamed or as a single response.' },
  { name: 'Playground', description: 'Test agents and tools without storing anything.' },
  {
    name: 'Conversation Flows',
    description: 'Versioned dialog graphs that agents follow, and the components they share.',
  },
  {
    name: 'Knowledge Bases',
    description: 'Business documents that agents use to answer questions: texts, web pages, sites and files.',
  },
  { name: 'Voices', description: 'Agent voices and community voice search.' },
  { name: 'Phone Numbers', description: 'Phone numbers and the agents that answer and place their calls.' },
  { name: 'Test Cases', description: 'Simulated conversations that test an engine.' },
  { name: 'Calls', description: 'Phone and web calls.' },
  { name: 'Concurrency', description: 'Limits on simultaneous calls in a workspace.' },
  { name: 'Usage', description: 'Usage by day, agent or workspace.' },
  { name: 'Webhooks', description: 'Endpoints that receive events, and the delivery log.' },
  { name: 'Account', description: 'API tokens, sessions, secrets, provider keys and the audit log.' },
  { name: 'Tenancy', description: 'Workspace members, tenants, providers and branding.' },
]

/** Errors of every operation that requires a token. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  // Context headers can name a workspace even if the operation has none.
  'workspace_forbidden',
  'rate_limited',
  'unavailable',
  'internal_error',
]
const BODY_ERRORS: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused']

/** Builds the OpenAPI 3.1 document for a server at `serverUrl`. */
export function buildOpenApiDocument(operations: readonly Operation[], serverUrl = 'http://127.0.0.1:4100'): Json {
  const components = createComponents()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    const item = paths[operation.path] ?? {}
    item[operation.method.toLowerCase()] = describeOperation(operation, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley API',
      version: API_VERSION,
      description: INFO_DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearerToken: [] }, { session: [] }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: {
        bearerToken: { type: 'http', scheme: 'bearer', description: 'API token (`sk_…`).' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'parley_session',
          description: 'Dashboard session. Over HTTPS, the cookie is named `__Host-parley_session`.',
        },
      },
      parameters: CONTEXT_PARAMETERS,
      responses: describeErrorResponses(operations, components),
      schemas: components.schemas,
    },
  }
}

const INFO_DESCRIPTION = [
  'Every path is available under `/api` and `/api/v1`; this document lists the canonical path.',
  'Query and body fields are accepted in snake_case, kebab-case and camelCase; responses use the documented spelling.',
  'Unknown body fields are ignored and listed in the response header `X-Ignored-Fields`.',
  'Every response includes `X-Request-Id`, and all errors share one schema.',
].join(' ')

const describeHeader = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

/** Context headers, which every operation that requires a token accepts. */
const CONTEXT_PARAMETERS: Readonly<Record<string, Json>> = {
  ActorType: describeHeader('X-Actor-Type', 'Actor type of the request, which cannot be higher than your own.', {
    type: 'string',
    enum: ACTOR_ROLES,
  }),
  ProviderId: describeHeader('X-Provider-Id', 'Limits the request to this provider.'),
  TenantId: describeHeader(
    'X-Tenant-Id',
    'Limits the request to this tenant (its `accountSid`). Required for operations on a workspace if `X-Actor-Type` is ' +
      '`platform_admin` or `provider_admin`.',
  ),
  WorkspaceId: describeHeader(
    'X-Workspace-Id',
    'Workspace of the request. Must equal `workspaceId` if both are given.',
    {
      type: 'integer',
    },
  ),
}

interface Components {
  readonly schemas: Record<string, Json>
  /** Prints a schema. Named schemas become references. */
  print(schema: z.ZodType, io: 'input' | 'output'): Json
}

/** Collects named schemas. If the request and response forms of a schema differ, each form has a separate name. */
function createComponents(): Components {
  const schemas: Record<string, Json> = {}
  /** Components with all references resolved. Two forms share a name only if their resolved definitions are identical. */
  const resolvedDefinitions = new Map<string, string>()

  function chooseSchemaName(name: string, io: 'input' | 'output', resolvedDefinition: string): string {
    const existingDefinition = resolvedDefinitions.get(name)
    if (existingDefinition === undefined || existingDefinition === resolvedDefinition) return name
    return io === 'input' ? `${name}Input` : `${name}Output`
  }

  return {
    schemas,
    print(schema, io) {
      // The object wrapper turns a named schema at the root into a reference as well.
      const printed = z.toJSONSchema(z.object({ root: schema }), {
        io,
        target: 'draft-2020-12',
        unrepresentable: 'any',
        override: restoreDefault,
      }) as Json
      const definitions = (printed.$defs ?? {}) as Record<string, Json>
      const names = new Map<string, string>()
      for (const [name, definition] of Object.entries(definitions)) {
        const resolvedDefinition = JSON.stringify(resolveReferences(definition, definitions))
        const schemaName = chooseSchemaName(name, io, resolvedDefinition)
        resolvedDefinitions.set(schemaName, resolvedDefinition)
        names.set(name, schemaName)
      }
      for (const [name, definition] of Object.entries(definitions)) {
        schemas[names.get(name) ?? name] = rewriteReferences(definition, names) as Json
      }
      return rewriteReferences((printed.properties as Json).root, names) as Json
    },
  }
}

/** Resolves all references in a definition. The API has no recursive schemas. */
function resolveReferences(value: unknown, definitions: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, definitions))
  if (typeof value !== 'object' || value === null) return value
  const reference = (value as Json).$ref
  if (typeof reference === 'string')
    return resolveReferences(definitions[reference.replace('#/$defs/', '')], definitions)
  const keptEntries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false)
  return Object.fromEntries(keptEntries.map(([key, item]) => [key, resolveReferences(item, definitions)]))
}

/** Rewrites references to point at the components and removes internal keywords. */
function rewriteReferences(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, names))
  if (typeof value !== 'object' || value === null) return value
  const result: Json = {}
  for (const [key, item] of Object.entries(value)) {
    // Future responses can contain more fields, which must not break strict clients.
    if (key === 'additionalProperties' && item === false) continue
    if (key === '$ref' && typeof item === 'string') {
      const name = item.replace('#/$defs/', '')
      result[key] = `#/components/schemas/${names.get(name) ?? name}`
    } else if (key !== 'id' || typeof item !== 'string') {
      result[key] = rewriteReferences(item, names)
    }
  }
  return describeNullable(result)
}

/** Restores a field's default. Zod omits the default if parsing transforms the field. */
function restoreDefault({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: { default?: unknown }
}): void {
  if (zodSchema._zod.def.type === 'default') jsonSchema.default = zodSchema._zod.def.defaultValue
}

/** Moves the description of a nullable value to the field, where readers expect it. */
function describeNullable(schema: Json): Json {
  if (!Array.isArray(schema.anyOf) || schema.description !== undefined) return schema
  const [value, nullSchema, ...otherSchemas] = schema.anyOf as readonly Json[]
  if (value?.description === undefined || nullSchema?.type !== 'null' || otherSchemas.length > 0) return schema
  const { description, ...rest } = value
  return { ...schema, anyOf: [rest, nullSchema], description }
}

function describeOperation(operation: Operation, components: Components): Json {
  const parameters = [
    ...describeParameters(operation.pathParameters, 'path', components),
    ...describeParameters(operation.query, 'query', components, operation.workspace !== 'optional'),
    ...describeHeaders(operation),
  ]
  return {
    operationId: operation.name,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    ...describeAccess(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: { required: true, content: describeBody(components.print(operation.body, 'input'), operation) },
    }),
    responses: { ...describeSuccess(operation, components), ...listErrorReferences(operation) },
  }
}

/** Describes a request body. A form contains the body fields, with non-string values as JSON, in addition to the files. */
function describeBody(schema: Json, { upload }: Operation): Json {
  if (upload === undefined) return { 'application/json': { schema } }
  const formatMebibytes = (sizeBytes: number): string => `${Math.floor(sizeBytes / 1024 / 1024)} MiB`
  const files = {
    type: 'array',
    items: { type: 'string', format: 'binary' },
    maxItems: upload.maxFiles,
    description:
      `At most ${upload.maxFiles} files of ${formatMebibytes(upload.maxFileBytes)} each and ` +
      `${formatMebibytes(upload.maxRequestBytes)} in total. Send other fields that are not strings as JSON.`,
  }
  const form = { allOf: [schema, { type: 'object', properties: { files } }] }
  return { 'application/json': { schema }, 'multipart/form-data': { schema: form } }
}

function describeAccess({ access, signedLinks }: Operation): Json {
  if (access === 'public') return { security: [] }
  if (access === 'session') return { security: [{ session: [] }] }
  if (signedLinks)
    return { security: [{ bearerToken: [] }, { session: [] }, {}], 'x-right': { name: access, ...RIGHTS[access] } }
  return { 'x-right': { name: access, ...RIGHTS[access] } }
}

function describeParameters(
  schema: z.ZodObject | undefined,
  location: 'path' | 'query',
  components: Components,
  needsWorkspace = true,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const type = field as z.ZodType
    const { description, ...printed } = components.print(type, 'output')
    const isWorkspace = needsWorkspace && name === 'workspaceId'
    return {
      name,
      in: location,
      required: location === 'path' || isWorkspace || !type.safeParse(undefined).success,
      ...(typeof description === 'string' && { description }),
      schema: printed,
    }
  })
}

function describeHeaders(operation: Operation): Json[] {
  const headers: Json[] = []
  if (takesIdempotencyKey(operation)) {
    const description = 'Makes retries safe: requests with the same key and body return the same response for 24 hours.'
    headers.push(describeHeader('Idempotency-Key', description, { type: 'string', maxLength: 255 }))
  }
  if (operation.method === 'GET' && operation.features?.includes('event-stream')) {
    headers.push(describeHeader('Last-Event-ID', '`id` of the last received event. The stream continues after it.'))
  }
  if (operation.mediaType !== undefined) {
    headers.push(describeHeader('Range', 'A single byte range, such as `bytes=0-1023`.'))
  }
  if (operation.errors?.includes('version_conflict') && !hasEtagsInBody(operation)) {
    headers.push(
      describeHeader(
        'If-Match',
        'Last known `ETag`. The request fails with 412 if the resource has changed since then.',
      ),
    )
  }
  if (operation.access !== 'public') {
    for (const name of Object.keys(CONTEXT_PARAMETERS)) headers.push({ $ref: `#/components/parameters/${name}` })
  }
  return headers
}

/** Whether a body contains ETags. A body that saves several records contains one ETag per record. */
function hasEtagsInBody({ body }: Operation): boolean {
  return body instanceof z.ZodObject && 'agentEtag' in body.shape
}

const BINARY: Json = { type: 'string', format: 'binary' }

function describeSuccess(operation: Operation, components: Components): Json {
  const content: Json = {}
  if (operation.result) content['application/json'] = { schema: components.print(operation.result, 'output') }
  if (operation.mediaType !== undefined) content[operation.mediaType] = { schema: BINARY }
  const isStream = operation.features?.includes('event-stream') === true
  if (isStream && !operation.result) content['text/event-stream'] = { schema: { type: 'string' } }
  const headers = describeResponseHeaders(operation)
  const responses: Json = {
    [operation.status]: {
      description:
        operation.status === 204 ? 'Success without a body.' : operation.status === 201 ? 'Created.' : 'Success.',
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(content).length > 0 && { content }),
    },
  }
  if (operation.mediaType !== undefined) {
    responses['206'] = { description: 'The requested range.', content }
  }
  if (isStream && operation.result) {
    const description = 'With `Accept: text/event-stream` or `"stream": true`, the events of the turn.'
    responses['200'] = { description, content: { 'text/event-stream': { schema: { type: 'string' } } } }
  }
  return responses
}

function describeResponseHeaders(operation: Operation): Json {
  const textHeader = (description: string): Json => ({ description, schema: { type: 'string' } })
  const headers: Json = {}
  if (operation.features?.includes('etag'))
    headers.ETag = textHeader('Version tag of the resource. Send it as `If-Match` to detect concurrent changes.')
  if (operation.features?.includes('paged')) {
    headers['X-Has-More'] = textHeader('`true` if there is another page.')
    headers['X-Next-Pagination-Key'] = textHeader('`paginationKey` of the next page.')
    headers['X-Next-Pagination-Key-Version'] = textHeader('`paginationKeyVersion` of the next page, if required.')
    headers.Link = textHeader('URL of the next page, with `rel="next"`.')
  }
  return headers
}

/** Returns all error codes of an operation. Requests with an overlong URL fail before the server selects an operation. */
export function listErrorCodes(operation: Operation): ErrorCode[] {
  const specificCodes = operation.errors ?? []
  if (operation.access === 'public') return ['invalid_request', 'rate_limited', 'internal_error', ...specificCodes]
  return [
    ...COMMON_ERRORS,
    ...(operation.workspace === 'none' ? [] : (['tenant_context_required'] as const)),
    ...(operation.pathParameters ? (['not_found'] as const) : []),
    // The server reads a body even if the operation has none.
    ...(operation.method === 'GET' ? [] : BODY_ERRORS),
    ...(operation.mediaType === undefined ? [] : (['range_not_satisfiable'] as const)),
    ...(takesIdempotencyKey(operation) && !operation.features?.includes('event-stream') ? IDEMPOTENCY_ERRORS : []),
    ...specificCodes,
  ]
}

function listErrorReferences(operation: Operation): Json {
  const statuses = [...new Set(listErrorCodes(operation).map((code) => ERROR_STATUS[code]))].sort((a, b) => a - b)
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]))
}

function describeErrorResponses(operations: readonly Operation[], components: Components): Json {
  const schema = components.print(ErrorBody, 'output')
  const usedCodes = new Set(operations.flatMap(listErrorCodes))
  const codesByStatus = Map.groupBy(usedCodes, (code) => ERROR_STATUS[code])
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      `Error${status}`,
      {
        description: `\`code\` is one of: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
        content: { 'application/json': { schema } },
      },
    ]),
  )
}
