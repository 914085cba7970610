import { z } from 'zod'
import { DateTime, id } from './fields.ts'
import { AddAdministratorBody, Administrator, AdministratorAdded, administratorId, PlainPagingQuery } from './member.ts'
import { defineOperation } from './operation.ts'
import { NameInput } from './workspace.ts'

/** Tenants: the accounts that own workspaces. */

const MAX_SLUG_LENGTH = 60

/** A part of an account path. */
export const Slug = z
  .string()
  .max(MAX_SLUG_LENGTH)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits with single hyphens between them')

/** What a name becomes in an account path; null when it has nothing that may stand there. */
export function slugOf(name: string): string | null {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  if (words === null) return null
  return words.join('-').slice(0, MAX_SLUG_LENGTH).replace(/-$/, '')
}

export const Tenant = z
  .object({
    tenantId: z.string().meta({ description: 'The same as `accountSid`.' }),
    accountSid: z.string(),
    accountPath: z.string().meta({ description: 'Where the account stands: `/provider/tenant`.' }),
    name: z.string(),
    providerId: z.string(),
    createdAt: DateTime,
  })
  .meta({ id: 'Tenant' })
export type Tenant = z.infer<typeof Tenant>

export const CreateTenantBody = z
  .object({
    name: NameInput,
    providerId: id().nullable().optional().meta({
      description: "The provider that it belongs to: the caller's own, or the one that came with the installation.",
    }),
    slug: Slug.nullable()
      .optional()
      .meta({ description: 'Last part of the account path; made of the name when absent.' }),
  })
  .meta({ id: 'CreateTenantBody' })
export type CreateTenantBody = z.output<typeof CreateTenantBody>

export const UpdateTenantBody = z.object({ name: NameInput.optional() }).meta({ id: 'UpdateTenantBody' })
export type UpdateTenantBody = z.output<typeof UpdateTenantBody>

const TenantPath = z.object({ tenantId: id().meta({ description: 'The tenant, by its `accountSid`.' }) })
const TAG = 'Tenancy'

export const listTenants = defineOperation({
  name: 'listTenants',
  method: 'GET',
  path: '/api/tenants',
  tag: TAG,
  summary: 'List tenants',
  description: 'The accounts that the caller administers, newest first.',
  access: 'tenants',
  workspace: 'none',
  query: PlainPagingQuery,
  status: 200,
  result: z.array(Tenant),
  features: ['paged'],
})

export const createTenant = defineOperation({
  name: 'createTenant',
  method: 'POST',
  path: '/api/tenants',
  tag: TAG,
  summary: 'Create a tenant',
  description: 'Makes an account without workspaces and administrators. Its path is never changed afterwards.',
  access: 'tenants',
  workspace: 'none',
  body: CreateTenantBody,
  status: 201,
  result: Tenant,
  errors: ['not_found', 'id_taken'],
})

export const getTenant = defineOperation({
  name: 'getTenant',
  method: 'GET',
  path: '/api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Read a tenant',
  description: 'Answers an account that the caller administers.',
  access: 'account',
  workspace: 'none',
  pathParameters: TenantPath,
  status: 200,
  result: Tenant,
  errors: ['not_found'],
})

export const updateTenant = defineOperation({
  name: 'updateTenant',
  method: 'PATCH',
  path: '/api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Change a tenant',
  description: 'Changes the name. The account path stays.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: TenantPath,
  body: UpdateTenantBody,
  status: 200,
  result: Tenant,
  errors: ['not_found'],
})

export const deleteTenant = defineOperation({
  name: 'deleteTenant',
  method: 'DELETE',
  path: '/api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Delete a tenant',
  description: 'Refused while it has workspaces. Its administrators keep their memberships; accounts without any end.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: TenantPath,
  status: 204,
  errors: ['not_found', 'in_use'],
})

export const listTenantAdmins = defineOperation({
  name: 'listTenantAdmins',
  method: 'GET',
  path: '/api/tenants/{tenantId}/admins',
  tag: TAG,
  summary: 'List the administrators of a tenant',
  description: 'Newest first. They reach all workspaces of the account.',
  access: 'account',
  workspace: 'none',
  pathParameters: TenantPath,
  query: PlainPagingQuery,
  status: 200,
  result: z.array(Administrator),
  errors: ['not_found'],
  features: ['paged'],
})

export const addTenantAdmin = defineOperation({
  name: 'addTenantAdmin',
  method: 'POST',
  path: '/api/tenants/{tenantId}/admins',
  tag: TAG,
  summary: 'Invite an administrator of a tenant',
  description:
    'Invites the person with this e-mail address. The answer is the same whether or not the address has an account: a link to ' +
    'hand over, valid for seven days. Inviting again replaces it. A person administers one thing; accepting another is refused.',
  access: 'account',
  workspace: 'none',
  pathParameters: TenantPath,
  body: AddAdministratorBody,
  status: 201,
  result: AdministratorAdded,
  errors: ['not_found', 'id_taken'],
})

export const removeTenantAdmin = defineOperation({
  name: 'removeTenantAdmin',
  method: 'DELETE',
  path: '/api/tenants/{tenantId}/admins/{userId}',
  tag: TAG,
  summary: 'Remove an administrator from a tenant',
  description:
    'The person keeps its memberships and is an end user from now on; without any, its account ends. Revokes an invitation as well.',
  access: 'account',
  workspace: 'none',
  pathParameters: TenantPath.extend({ userId: administratorId }),
  status: 204,
  errors: ['not_found'],
})
