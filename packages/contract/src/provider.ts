import { z } from 'zod'
import { clearable, DateTime, id, orDefault } from './fields.ts'
import { AddAdministratorBody, Administrator, AdministratorAdded, administratorId, PlainPagingQuery } from './member.ts'
import { defineOperation } from './operation.ts'
import { Slug } from './tenant.ts'
import { NameInput } from './workspace.ts'

/** Providers: resellers with tenants, a brand, keys and a markup of their own. */

const MARKUP = { description: 'Percent that are added to what conversations cost its tenants.' }

export const Provider = z
  .object({
    providerId: z.string(),
    slug: z.string().meta({ description: 'First part of the account paths of its tenants.' }),
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
    slug: Slug.nullable().optional().meta({ description: 'Made of the name when absent.' }),
    markupPercent: orDefault(MarkupPercent, () => 0),
  })
  .meta({ id: 'CreateProviderBody' })
export type CreateProviderBody = z.output<typeof CreateProviderBody>

export const UpdateProviderBody = z
  .object({ name: NameInput.optional(), markupPercent: clearable(MarkupPercent, () => 0) })
  .meta({
    id: 'UpdateProviderBody',
    description: 'Absent fields stay as they are. The slug stays too: account paths begin with it.',
  })
export type UpdateProviderBody = z.output<typeof UpdateProviderBody>

const ProviderPath = z.object({ providerId: id().meta({ description: 'The provider, `provider_…`.' }) })
const TAG = 'Tenancy'

export const listProviders = defineOperation({
  name: 'listProviders',
  method: 'GET',
  path: '/api/providers',
  tag: TAG,
  summary: 'List providers',
  description: 'Newest first. Administrators of a provider see their own.',
  access: 'tenants',
  workspace: 'none',
  query: PlainPagingQuery,
  status: 200,
  result: z.array(Provider),
  features: ['paged'],
})

export const createProvider = defineOperation({
  name: 'createProvider',
  method: 'POST',
  path: '/api/providers',
  tag: TAG,
  summary: 'Create a provider',
  description: 'Makes a provider without tenants and administrators.',
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
  summary: 'Read a provider',
  description: 'Answers a provider that the caller administers.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: ProviderPath,
  status: 200,
  result: Provider,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateProvider = defineOperation({
  name: 'updateProvider',
  method: 'PATCH',
  path: '/api/providers/{providerId}',
  tag: TAG,
  summary: 'Change a provider',
  description: 'A new markup counts for conversations that begin from now on.',
  access: 'providers',
  workspace: 'none',
  pathParameters: ProviderPath,
  body: UpdateProviderBody,
  status: 200,
  result: Provider,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteProvider = defineOperation({
  name: 'deleteProvider',
  method: 'DELETE',
  path: '/api/providers/{providerId}',
  tag: TAG,
  summary: 'Delete a provider',
  description: 'Refused while it has tenants, and for the provider that came with the installation.',
  access: 'providers',
  workspace: 'none',
  pathParameters: ProviderPath,
  status: 204,
  errors: ['not_found', 'in_use', 'version_conflict'],
})

export const listProviderAdmins = defineOperation({
  name: 'listProviderAdmins',
  method: 'GET',
  path: '/api/providers/{providerId}/admins',
  tag: TAG,
  summary: 'List the administrators of a provider',
  description: 'Newest first. They reach all tenants of the provider.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: ProviderPath,
  query: PlainPagingQuery,
  status: 200,
  result: z.array(Administrator),
  errors: ['not_found'],
  features: ['paged'],
})

export const addProviderAdmin = defineOperation({
  name: 'addProviderAdmin',
  method: 'POST',
  path: '/api/providers/{providerId}/admins',
  tag: TAG,
  summary: 'Invite an administrator of a provider',
  description:
    'Invites the person with this e-mail address. The answer is the same whether or not the address has an account: a link to ' +
    'hand over, valid for seven days. Inviting again replaces it. A person administers one thing; accepting another is refused.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: ProviderPath,
  body: AddAdministratorBody,
  status: 201,
  result: AdministratorAdded,
  errors: ['not_found', 'id_taken'],
})

export const removeProviderAdmin = defineOperation({
  name: 'removeProviderAdmin',
  method: 'DELETE',
  path: '/api/providers/{providerId}/admins/{userId}',
  tag: TAG,
  summary: 'Remove an administrator from a provider',
  description:
    'The person keeps its memberships and is an end user from now on; without any, its account ends. Revokes an invitation as well.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: ProviderPath.extend({ userId: administratorId }),
  status: 204,
  errors: ['not_found'],
})
