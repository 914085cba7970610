import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import { type CreateTenantBody, type Tenant, toSlug, type UpdateTenantBody } from '@parley/contract/tenant'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AccessCache, AdministratorScope, Administrators, Brands } from '../members/public.ts'
import { findFirstReseller } from '../workspaces/public.ts'
import { type Administration, includesReseller, includesTenant } from './administration.ts'
import {
  type AdminScope,
  deleteTenantRow,
  findResellerSlug,
  findTenant,
  findTenants,
  hasWorkspaces,
  insertTenant,
  renameTenant,
} from './tenant-store.ts'

interface TenantServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeUuid: () => string
  readonly administration: Administration
  readonly administrators: Administrators
  readonly brands: Brands
  readonly access: AccessCache
}

/** Manages tenants. Throws `not_found` for tenants that the actor does not administer. */
export interface TenantService {
  list(actor: Actor, page: PageRequest): Promise<Page<Tenant>>
  create(actor: Actor, body: CreateTenantBody): Promise<Tenant>
  get(actor: Actor, tenantId: string): Promise<Tenant>
  update(actor: Actor, tenantId: string, body: UpdateTenantBody): Promise<Tenant>
  /** Deletes a tenant. Throws `in_use` if it has workspaces. */
  remove(actor: Actor, tenantId: string): Promise<void>
  listAdmins(actor: Actor, tenantId: string, page: PageRequest): Promise<Page<Administrator>>
  addAdmin(actor: Actor, tenantId: string, body: AddAdministratorBody): Promise<AdministratorAdded>
  removeAdmin(actor: Actor, tenantId: string, userId: string): Promise<void>
}

export function createTenantService(dependencies: TenantServiceDependencies): TenantService {
  const { database, administration, administrators, brands, access } = dependencies

  return {
    async list(actor, page) {
      const scope = await administration.findAdminScope(database.read, actor)
      return scope === null ? { items: [], next: null } : await findTenants(database.read, scope, page)
    },

    create: (actor, body) => createTenant(dependencies, actor, body),

    get: (actor, tenantId) => findAdministeredTenant(database.read, { administration, actor, tenantId }),

    update: (actor, tenantId, { name }) =>
      database.transaction(async (transaction) => {
        const tenant = await findAdministeredTenant(transaction, { administration, actor, tenantId })
        if (name === undefined) return tenant
        await renameTenant(transaction, tenantId, name)
        return { ...tenant, name }
      }),

    async remove(actor, tenantId) {
      await database.transaction(async (transaction) => {
        await findAdministeredTenant(transaction, { administration, actor, tenantId })
        if (await hasWorkspaces(transaction, tenantId)) {
          throw new AppError('in_use', 'This tenant has workspaces. Delete them first.')
        }
        await administrators.removeAll(transaction, toAdministratorScope(tenantId))
        await brands.delete(transaction, tenantId)
        await deleteTenantRow(transaction, tenantId)
      })
      access.invalidate()
    },

    async listAdmins(actor, tenantId, page) {
      await findAdministeredTenant(database.read, { administration, actor, tenantId })
      return await administrators.list(actor, toAdministratorScope(tenantId), page)
    },

    addAdmin: (actor, tenantId, body) =>
      database.transaction(async (transaction) => {
        await findAdministeredTenant(transaction, { administration, actor, tenantId })
        return await administrators.invite(transaction, toAdministratorScope(tenantId), body)
      }),

    async removeAdmin(actor, tenantId, userId) {
      await database.transaction(async (transaction) => {
        await findAdministeredTenant(transaction, { administration, actor, tenantId })
        if (await administrators.remove(transaction, toAdministratorScope(tenantId), userId)) return
        throw new AppError('not_found', `No administrator "${userId}" exists in this tenant.`)
      })
      access.invalidate()
    },
  }
}

async function createTenant(
  { database, makeUuid, clock, administration, access }: TenantServiceDependencies,
  actor: Actor,
  body: CreateTenantBody,
): Promise<Tenant> {
  const tenant = await database.transaction(async (transaction) => {
    const scope = await administration.findAdminScope(transaction, actor)
    const providerId = await chooseReseller(transaction, scope, body.providerId ?? null)
    return await createTenantInReseller(transaction, body, { providerId, accountSid: makeUuid(), now: clock.now() })
  })
  access.invalidate()
  return tenant
}

async function chooseReseller(
  transaction: Transaction,
  scope: AdminScope | null,
  requestedProviderId: string | null,
): Promise<string> {
  const selectedProviderId = requestedProviderId ?? scope?.providerId ?? (await findFirstReseller(transaction))
  if (scope !== null && includesReseller(scope, selectedProviderId)) return selectedProviderId
  throw new AppError('forbidden', 'Tenants can be created only in providers that you administer.')
}

async function createTenantInReseller(
  transaction: Transaction,
  body: CreateTenantBody,
  { providerId, accountSid, now }: { readonly providerId: string; readonly accountSid: string; readonly now: number },
): Promise<Tenant> {
  const resellerSlug = await findResellerSlug(transaction, providerId)
  if (resellerSlug === null) throw new AppError('not_found', `You do not administer a provider "${providerId}".`)
  const slug = body.slug ?? toSlug(body.name) ?? `tenant-${accountSid.slice(0, 8)}`
  const accountPath = `/${resellerSlug}/${slug}`
  const row = { account_sid: accountSid, provider_id: providerId, account_path: accountPath, name: body.name }
  const tenant = await insertTenant(transaction, { ...row, created_at: now })
  if (tenant !== null) return tenant
  throw new AppError('id_taken', `The account path "${accountPath}" is taken. Choose another slug.`)
}

interface TenantLookup {
  readonly administration: Administration
  readonly actor: Actor
  readonly tenantId: string
}

async function findAdministeredTenant(
  reader: Reader,
  { administration, actor, tenantId }: TenantLookup,
): Promise<Tenant> {
  const scope = await administration.findAdminScope(reader, actor)
  const tenant = await findTenant(reader, tenantId)
  if (scope !== null && tenant !== null && includesTenant(scope, tenant)) return tenant
  throw new AppError('not_found', `You do not administer a tenant "${tenantId}".`)
}

function toAdministratorScope(accountSid: string): AdministratorScope {
  return { role: 'tenant_admin', accountSid }
}
