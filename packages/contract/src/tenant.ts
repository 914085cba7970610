import { z } from 'zod'
import { DateTime, id } from './fields.ts'
import { defineAdministratorOperations, PaginationQuery } from './member.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { NameInput } from './workspace.ts'

/** Tenants: accounts that own workspaces. */

const MAX_SLUG_LENGTH = 60

/** Segment of an account path. */
export const Slug = z
  .string()
  .max(MAX_SLUG_LENGTH)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters and digits, separated by single hyphens')

/** Derives an account path segment from a name, or null if no valid characters remain. */
export function toSlug(name: string): string | null {
  const segments = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  if (segments === null) return null
  return segments.join('-').slice(0, MAX_SLUG_LENGTH).replace(/-$/, '')
}

export const Tenant = defineObject('Tenant', {
  tenantId: z.string().describe('ID of the tenant, identical to `accountSid`.'),
  accountSid: z.string(),
  accountPath: z.string().describe('Path of the account: `/provider/tenant`.'),
  name: z.string(),
  providerId: z.string(),
  createdAt: DateTime,
})
export type Tenant = z.infer<typeof Tenant>

export const CreateTenantBody = defineObject('CreateTenantBody', {
  name: NameInput,
  providerId: id()
    .nullable()
    .optional()
    .describe(
      'ID of the provider that owns the tenant. Defaults to your own provider, or the first provider of the ' +
        'installation.',
    ),
  slug: Slug.nullable().optional().describe('Last segment of the account path. Derived from the name if omitted.'),
})
export type CreateTenantBody = z.output<typeof CreateTenantBody>

export const UpdateTenantBody = defineObject('UpdateTenantBody', { name: NameInput.optional() })
export type UpdateTenantBody = z.output<typeof UpdateTenantBody>

const TenantPath = z.object({ tenantId: id().describe('ID of the tenant (its `accountSid`).') })
const TAG = 'Tenancy'

export const listTenants = defineOperation({
  name: 'listTenants',
  route: 'GET /api/tenants',
  tag: TAG,
  summary: 'List tenants',
  description: 'Returns the tenants that you administer, newest first.',
  access: 'tenants',
  workspace: 'none',
  query: PaginationQuery,
  result: z.array(Tenant),
  features: ['paged'],
})

export const createTenant = defineOperation({
  name: 'createTenant',
  route: 'POST /api/tenants',
  tag: TAG,
  summary: 'Create a tenant',
  description: 'Creates a tenant without workspaces or administrators. Its account path cannot be changed later.',
  access: 'tenants',
  workspace: 'none',
  body: CreateTenantBody,
  status: 201,
  result: Tenant,
  errors: ['not_found', 'id_taken'],
})

export const getTenant = defineOperation({
  name: 'getTenant',
  route: 'GET /api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Get a tenant',
  description: 'Returns a tenant that you administer.',
  access: 'account',
  workspace: 'none',
  pathParameters: TenantPath,
  result: Tenant,
})

export const updateTenant = defineOperation({
  name: 'updateTenant',
  route: 'PATCH /api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Update a tenant',
  description: 'Updates the name. The account path does not change.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: TenantPath,
  body: UpdateTenantBody,
  result: Tenant,
})

export const deleteTenant = defineOperation({
  name: 'deleteTenant',
  route: 'DELETE /api/tenants/{tenantId}',
  tag: TAG,
  summary: 'Delete a tenant',
  description:
    'Permanently deletes the tenant. Fails with `in_use` while it has workspaces. Its administrators keep their ' +
    'memberships; accounts without memberships are deleted.',
  access: 'tenants',
  workspace: 'none',
  pathParameters: TenantPath,
  errors: ['in_use'],
})

export const {
  list: listTenantAdmins,
  add: addTenantAdmin,
  remove: removeTenantAdmin,
} = defineAdministratorOperations({
  name: 'Tenant',
  noun: 'tenant',
  item: '/api/tenants/{tenantId}',
  pathParameters: TenantPath,
  access: 'account',
  accessNote: 'They have access to all workspaces of the tenant.',
})
