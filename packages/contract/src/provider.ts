import { z } from 'zod'
import { clearable, DateTime, id, orDefault } from './fields.ts'
import { defineAdministratorOperations, PaginationQuery } from './member.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { Slug } from './tenant.ts'
import { NameInput } from './workspace.ts'

/** Providers: resellers with their own tenants, branding, keys and markup. */

const MARKUP = 'Markup on tenants’ conversation costs, in percent.'

export const Provider = defineObject('Provider', {
  providerId: z.string(),
  slug: z.string().describe('First segment of the account paths of its tenants.'),
  name: z.string(),
  markupPercent: z.number().describe(MARKUP),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Provider = z.infer<typeof Provider>

const MarkupPercent = z.number().min(0).max(1000).describe(MARKUP)

export const CreateProviderBody = defineObject('CreateProviderBody', {
  name: NameInput,
  slug: Slug.nullable().optional().describe('First segment of account paths. Derived from the name if omitted.'),
  markupPercent: orDefault(MarkupPercent, () => 0),
})
export type CreateProviderBody = z.output<typeof CreateProviderBody>

export const UpdateProviderBody = defineDescribedObject(
  'UpdateProviderBody',
  'Omitted fields do not change. The slug cannot be changed because account paths contain it.',
  { name: NameInput.optional(), markupPercent: clearable(MarkupPercent, () => 0) },
)
export type UpdateProviderBody = z.output<typeof UpdateProviderBody>

const ProviderPath = z.object({ providerId: id().describe('ID of the provider (`provider_…`).') })
const TAG = 'Tenancy'

export const listProviders = defineOperation({
  name: 'listProviders',
  route: 'GET /api/providers',
  tag: TAG,
  summary: 'List providers',
  description: 'Returns providers, newest first. Administrators of a provider see only their own provider.',
  access: 'tenants',
  workspace: 'none',
  query: PaginationQuery,
  result: z.array(Provider),
  features: ['paged'],
})

export const createProvider = defineOperation({
  name: 'createProvider',
  route: 'POST /api/providers',
  tag: TAG,
  summary: 'Create a provider',
  description: 'Creates a provider without tenants or administrators.',
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
  route: 'GET /api/providers/{providerId}',
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
  route: 'PATCH /api/providers/{providerId}',
  tag: TAG,
  summary: 'Update a provider',
  description: 'Updates the name or markup. A new markup applies to conversations that start later.',
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
  route: 'DELETE /api/providers/{providerId}',
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
} = defineAdministratorOperations({
  name: 'Provider',
  noun: 'provider',
  item: '/api/providers/{providerId}',
  pathParameters: ProviderPath,
  access: 'tenants',
  accessNote: 'They have access to all tenants of the provider.',
})
