import { z } from 'zod'
import { DateTime, id, WorkspaceId } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** API keys that customers provide for external services. */

/** Services that accept a key. */
export const API_KEY_SERVICES = ['openai', 'anthropic', 'deepgram', 'elevenlabs', 'cartesia'] as const

const SERVICE =
  'Service of the key: `openai` for models and speech, `anthropic` for models, `deepgram` and `elevenlabs` for voices and speech ' +
  'recognition, `cartesia` for voices.'
const Service = z
  .enum(API_KEY_SERVICES, `must be one of ${API_KEY_SERVICES.map((service) => `"${service}"`).join(', ')}`)
  .describe(SERVICE)

const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,500}$/, 'must be 8 to 500 visible ASCII characters')
  .describe('API key, stored encrypted and never returned.')

const BaseUrl = z
  .string()
  .max(2000)
  .refine(isServiceUrl, { error: 'must be an http:// or https:// URL without user name, password and fragment' })
  .describe(
    'URL of a compatible server. If null, the service itself is used. Private addresses are rejected on use ' +
      'unless the operator allows them.',
  )

/** Whether the value is a valid service URL. Rejects URLs with credentials, because responses contain the URL. */
function isServiceUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value)) return false
  return url.username === '' && url.password === '' && url.hash === ''
}

export const ProviderKey = defineObject('ProviderKey', {
  providerKeyId: z.string(),
  service: z.enum(API_KEY_SERVICES).describe(SERVICE),
  workspaceId: z.int().nullable().describe('ID of the workspace that owns the key, or null.'),
  tenantId: z.string().nullable().describe('ID of the tenant that owns the key, or null.'),
  providerId: z.string().nullable().describe('ID of the provider that owns the key, or null.'),
  lastFour: z.string().describe('Last four characters of the key, for identification.'),
  baseUrl: z.string().nullable().describe('URL of a compatible server, or null.'),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type ProviderKey = z.infer<typeof ProviderKey>

const OWNERS = ['workspaceId', 'tenantId', 'providerId'] as const
const OWNER_RULE = 'must have exactly one owner: workspaceId, tenantId or providerId'

/** Counts the owners in a body. It also runs for invalid bodies, so that all problems are reported together. */
function countOwners(value: unknown): number {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  return OWNERS.filter((owner) => fields[owner] !== undefined && fields[owner] !== null).length
}

export const CreateProviderKeyBody = z
  .object({
    service: Service,
    apiKey: ApiKey,
    baseUrl: BaseUrl.nullable().default(null),
    workspaceId: WorkspaceId.nullable().default(null).describe('ID of the workspace that uses the key.'),
    tenantId: id().nullable().default(null).describe('ID of the tenant whose workspaces can use the key.'),
    providerId: id().nullable().default(null).describe('ID of the provider whose tenants can use the key.'),
  })
  .refine((body) => countOwners(body) === 1, { error: OWNER_RULE, when: ({ value }) => isObject(value) })
  .meta({ id: 'CreateProviderKeyBody' })
export type CreateProviderKeyBody = z.output<typeof CreateProviderKeyBody>

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

export const UpdateProviderKeyBody = defineDescribedObject(
  'UpdateProviderKeyBody',
  'Omitted fields do not change; a null `baseUrl` selects the service itself. A `baseUrl` on a different ' +
    'server requires `apiKey`, so that a stored key is never sent to a new server.',
  {
    apiKey: ApiKey.optional(),
    baseUrl: BaseUrl.nullable().optional(),
  },
)
export type UpdateProviderKeyBody = z.output<typeof UpdateProviderKeyBody>

const ProviderKeyPath = z.object({
  providerKeyId: id().describe('ID of the provider key (`provider_key_…`), not the key itself.'),
})
const TAG = 'Account'

export const listProviderKeys = defineOperation({
  name: 'listProviderKeys',
  route: 'GET /api/provider-keys',
  tag: TAG,
  summary: 'List provider keys',
  description:
    'Returns the keys of a workspace, tenant or provider, newest first. Without a filter, returns all keys that ' +
    'you can manage. The keys themselves are never returned.',
  access: 'admin',
  workspace: 'optional',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    tenantId: id().optional().describe('Return only keys of this tenant.'),
    providerId: id().optional().describe('Return only keys of this provider.'),
  }),
  result: z.array(ProviderKey),
  features: ['paged'],
})

export const createProviderKey = defineOperation({
  name: 'createProviderKey',
  route: 'POST /api/provider-keys',
  tag: TAG,
  summary: 'Store a provider key',
  description:
    'Stores a key for a workspace, tenant or provider. A workspace uses the first key found on the workspace, tenant, ' +
    'provider or server level, in this order. An owner can have one key per service.',
  access: 'admin',
  workspace: 'none',
  body: CreateProviderKeyBody,
  status: 201,
  result: ProviderKey,
  errors: ['workspace_forbidden', 'id_taken'],
})

export const updateProviderKey = defineOperation({
  name: 'updateProviderKey',
  route: 'PATCH /api/provider-keys/{providerKeyId}',
  tag: TAG,
  summary: 'Update a provider key',
  description: 'Replaces the key, the URL or both. Conversations use the new values from their next turn.',
  access: 'admin',
  workspace: 'none',
  pathParameters: ProviderKeyPath,
  body: UpdateProviderKeyBody,
  result: ProviderKey,
})

export const ProviderKeyTest = defineObject('ProviderKeyTest', {
  ok: z.boolean().describe('Whether the service accepted the key.'),
  message: z.string().describe('Result in one sentence, which never contains the key.'),
  latencyMs: z.int().describe('Time until the service responded, in milliseconds.'),
  checkedAt: DateTime,
})
export type ProviderKeyTest = z.infer<typeof ProviderKeyTest>

export const testProviderKey = defineOperation({
  name: 'testProviderKey',
  route: 'POST /api/provider-keys/{providerKeyId}/test',
  tag: TAG,
  summary: 'Test a provider key',
  description:
    'Sends one request with the key to its service, without cost. A key that does not work is a result with `ok` false, not an ' +
    'error. The service has 10 seconds to respond.',
  access: 'admin',
  workspace: 'none',
  pathParameters: ProviderKeyPath,
  result: ProviderKeyTest,
})

export const deleteProviderKey = defineOperation({
  name: 'deleteProviderKey',
  route: 'DELETE /api/provider-keys/{providerKeyId}',
  tag: TAG,
  summary: 'Delete a provider key',
  description: 'Permanently deletes the key. Workspaces that used the key fall back to the next inherited key.',
  access: 'admin',
  workspace: 'none',
  pathParameters: ProviderKeyPath,
})
