import { z } from 'zod'
import { DateTime, id, WorkspaceId } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Keys to services outside that customers bring along. */

/** The services that take a key. */
export const API_KEY_SERVICES = ['openai', 'anthropic', 'elevenlabs', 'cartesia'] as const

const SERVICE = { description: '`openai` and `anthropic` serve models, `elevenlabs` and `cartesia` voices.' }
const Service = z
  .enum(API_KEY_SERVICES, `must be one of ${API_KEY_SERVICES.map((service) => `"${service}"`).join(', ')}`)
  .meta(SERVICE)

const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,500}$/, 'must be 8 to 500 visible ASCII characters')
  .meta({ description: 'Stored encrypted and never answered again.' })

const BaseUrl = z
  .string()
  .max(2000)
  .refine(isServiceUrl, { error: 'must be an http:// or https:// URL without user, password and fragment' })
  .meta({
    description:
      'Address of another server with the interface of the service; null is the service itself. Private addresses are ' +
      'refused when it is used, unless the operator allows them.',
  })

/** Credentials in an address would be answered again with it. */
function isServiceUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value)) return false
  return url.username === '' && url.password === '' && url.hash === ''
}

export const ProviderKey = z
  .object({
    providerKeyId: z.string(),
    service: z.enum(API_KEY_SERVICES).meta(SERVICE),
    workspaceId: z.int().nullable().meta({ description: 'The owner, when that is a workspace.' }),
    tenantId: z.string().nullable().meta({ description: 'The owner, when that is a tenant.' }),
    providerId: z.string().nullable().meta({ description: 'The owner, when that is a provider.' }),
    lastFour: z.string().meta({ description: 'Last characters of the key, so that its owner knows it again.' }),
    baseUrl: z.string().nullable().meta({ description: 'Address that is used in place of the service; null without.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'ProviderKey' })
export type ProviderKey = z.infer<typeof ProviderKey>

const OWNERS = ['workspaceId', 'tenantId', 'providerId'] as const
const ONE_OWNER = 'must name exactly one owner: workspaceId, tenantId or providerId'

/** Looked at even when other fields are wrong, so that all problems are told at once. */
function countGivenOwners(value: unknown): number {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  return OWNERS.filter((owner) => given[owner] !== undefined && given[owner] !== null).length
}

export const CreateProviderKeyBody = z
  .object({
    service: Service,
    apiKey: ApiKey,
    baseUrl: BaseUrl.nullable().default(null),
    workspaceId: WorkspaceId.nullable().default(null).meta({ description: 'The workspace that the key is for.' }),
    tenantId: id().nullable().default(null).meta({ description: 'The tenant whose workspaces may use the key.' }),
    providerId: id().nullable().default(null).meta({ description: 'The provider whose tenants may use the key.' }),
  })
  .refine((body) => countGivenOwners(body) === 1, { error: ONE_OWNER, when: ({ value }) => isObject(value) })
  .meta({ id: 'CreateProviderKeyBody' })
export type CreateProviderKeyBody = z.output<typeof CreateProviderKeyBody>

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

export const UpdateProviderKeyBody = z
  .object({
    apiKey: ApiKey.optional(),
    baseUrl: BaseUrl.nullable().optional(),
  })
  .meta({
    id: 'UpdateProviderKeyBody',
    description:
      'Absent fields stay as they are; a `baseUrl` of null is the service itself. A `baseUrl` on another server needs the ' +
      '`apiKey` with it, so that nobody can have a stored key sent to a server of theirs.',
  })
export type UpdateProviderKeyBody = z.output<typeof UpdateProviderKeyBody>

const ProviderKeyPath = z.object({
  providerKeyId: id().meta({ description: 'The provider key, `provider_key_…`, never the key itself.' }),
})
const TAG = 'Account'

export const listProviderKeys = defineOperation({
  name: 'listProviderKeys',
  method: 'GET',
  path: '/api/provider-keys',
  tag: TAG,
  summary: 'List provider keys',
  description:
    'Newest first: the keys of one workspace, tenant or provider, or without any of them all that the caller may manage. ' +
    'The keys themselves are never answered.',
  access: 'admin',
  workspace: 'optional',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    tenantId: id().optional().meta({ description: 'Only the keys that this tenant owns.' }),
    providerId: id().optional().meta({ description: 'Only the keys that this provider owns.' }),
  }),
  status: 200,
  result: z.array(ProviderKey),
  features: ['paged'],
})

export const createProviderKey = defineOperation({
  name: 'createProviderKey',
  method: 'POST',
  path: '/api/provider-keys',
  tag: TAG,
  summary: 'Store a provider key',
  description:
    'Stores a key to a service for a workspace, a tenant or a provider. Of several, a workspace uses its own, else that of ' +
    'its tenant, else that of its provider, else that of the server. An owner has one key for each service.',
  access: 'admin',
  workspace: 'none',
  body: CreateProviderKeyBody,
  status: 201,
  result: ProviderKey,
  errors: ['workspace_forbidden', 'id_taken'],
})

export const updateProviderKey = defineOperation({
  name: 'updateProviderKey',
  method: 'PATCH',
  path: '/api/provider-keys/{providerKeyId}',
  tag: TAG,
  summary: 'Change a provider key',
  description: 'Replaces the key, its address or both. Conversations use them from their next turn on.',
  access: 'admin',
  workspace: 'none',
  pathParameters: ProviderKeyPath,
  body: UpdateProviderKeyBody,
  status: 200,
  result: ProviderKey,
  errors: ['not_found'],
})

export const deleteProviderKey = defineOperation({
  name: 'deleteProviderKey',
  method: 'DELETE',
  path: '/api/provider-keys/{providerKeyId}',
  tag: TAG,
  summary: 'Delete a provider key',
  description: 'Removes the key for good. Workspaces that used it go on with the next one that they inherit.',
  access: 'admin',
  workspace: 'none',
  pathParameters: ProviderKeyPath,
  status: 204,
  errors: ['not_found'],
})
