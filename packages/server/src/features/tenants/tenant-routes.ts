import {
  addTenantAdmin,
  createTenant,
  deleteTenant,
  getTenant,
  listTenantAdmins,
  listTenants,
  removeTenantAdmin,
  updateTenant,
} from '@parley/contract/tenant'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { TenantService } from './tenant-service.ts'

/** Registers the tenant routes. */
export function registerTenantRoutes(api: Api, service: TenantService): void {
  implement(api, listTenants, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.actor, parsePageRequest(query)))
  })

  implement(api, createTenant, ({ body }, { actor }) => service.create(actor, body))

  implement(api, getTenant, ({ path }, { actor }) => service.get(actor, path.tenantId))

  implement(api, updateTenant, ({ path, body }, { actor }) => service.update(actor, path.tenantId, body))

  implement(api, deleteTenant, ({ path }, { actor }) => service.remove(actor, path.tenantId))

  implement(api, listTenantAdmins, async ({ path, query }, context) => {
    return respondWithPage(context, await service.listAdmins(context.actor, path.tenantId, parsePageRequest(query)))
  })

  implement(api, addTenantAdmin, ({ path, body }, { actor }) => service.addAdmin(actor, path.tenantId, body))

  implement(api, removeTenantAdmin, ({ path }, { actor }) => service.removeAdmin(actor, path.tenantId, path.userId))
}
