import { z } from 'zod'
import { clearable, DateTime, id, orDefault } from './fields.ts'
import { administratorOperations, PlainPagingQuery } from './member.ts'
import { defineOperation } from './operation.ts'
import { Slug } from './tenant.ts'
import { NameInput } from './workspace.ts'

/** Providers: resellers with their own tenants, branding, keys and markup. */

const MARKUP = { description: 'Markup on the conversation costs of tenants, in percent.' }

export const Provider = z
  .object({
    providerId: z.string(),
    slug: z.string().meta({ description: 'First segment of the account paths of its tenants.' }),
    name: z.string(),
    markupPercent: z.number().meta(MARKUP),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'Provider' })
export type Provider = z.infer<typeof Provider>

const MarkupPercent = z.number().min(0).max(1000).meta(MARKUP)

export const CreateProviderBody = z
  .object({
    name: NameInput,
    slug: Slug.nullable()
      .optional()
      .meta({ description: 'First segment of account paths. Derived from the name if omitted.' }),
    markupPercent: orDefault(MarkupPercent, () => 0),
  })
  .meta({ id: 'CreateProviderBody' })
export type CreateProviderBody = z.output<typeof CreateProviderBody>

export const UpdateProviderBody = z
  .object({ name: NameInput.optional(), markupPercent: clearable(MarkupPercent, () => 0) })
  .meta({
    id: 'UpdateProviderBody',
    description: 'Omitted fields keep their value. The slug cannot be changed, since account paths contain it.',
  })
export type UpdateProviderBody = z.output<typeof UpdateProviderBody>

const ProviderPath = z.object({ providerId: id().meta({ description: 'ID of the provider (`provider_…`).' }) })
const TAG = 'Tenancy'

export const listProviders = defineOperation({
  name: 'listProviders',
  method: 'GET',
  path: '/api/providers',
  tag: TAG,
  summary: 'List providers',
  description: 'Returns providers, newest first. Administrators of a provider only see their own.',
  access: 'tenants',
  workspace: 'none',
  query: PlainPagingQuery,
  result: z.array(Provider),
  features: ['paged'],
})

export const createProvider = defineOperation({
  name: 'createProvider',
  method: 'POST',
  path: '/api/providers',
  tag: TAG,
  summary: 'Create a provider',
  description: 'Creates a provider without tenants and administrators.',
  access: 'providers',
  workspace: 'none',
  body: CreateProviderBody,
  status: 201,
  result: Provider,
  errors: ['id_taken'],
  features: ['etag'],
})

export const getProvider = defineOperation({
  name: 'getProvider',
  method: 'GET',
  path: '/api/providers/{providerId}',
  tag: TAG,
  summary: 'Get a provider',
  description: 'Returns a provider that you administer.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: ProviderPath,
  result: Provider,
  features: ['etag'],
})

export const updateProvider = defineOperation({
  name: 'updateProvider',
  method: 'PATCH',
  path: '/api/providers/{providerId}',
  tag: TAG,
  summary: 'Update a provider',
  description: 'Changes the name or markup. A new markup applies to conversations that start afterwards.',
  access: 'providers',
  workspace: 'none',
  pathParameters: ProviderPath,
  body: UpdateProviderBody,
  result: Provider,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteProvider = defineOperation({
  name: 'deleteProvider',
  method: 'DELETE',
  path: '/api/providers/{providerId}',
  tag: TAG,
  summary: 'Delete a provider',
  description:
    'Permanently deletes the provider. Fails with `in_use` while it has tenants, and for the first provider of the ' +
    'installation.',
  access: 'providers',
  workspace: 'none',
  pathParameters: ProviderPath,
  errors: ['in_use', 'version_conflict'],
})

export const {
  list: listProviderAdmins,
  add: addProviderAdmin,
  remove: removeProviderAdmin,
} = administratorOperations({
  name: 'Provider',
  noun: 'provider',
  item: '/api/providers/{providerId}',
  pathParameters: ProviderPath,
  access: 'tenants',
  reach: 'They have access to all tenants of the provider.',
})
