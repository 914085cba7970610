import {
  addProviderAdmin,
  createProvider,
  deleteProvider,
  getProvider,
  listProviderAdmins,
  listProviders,
  removeProviderAdmin,
  updateProvider,
} from '@parley/contract/provider'
import { type Api, implement, respondWithEtag, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { ResellerService } from './reseller-service.ts'

/** Registers the reseller routes. */
export function registerResellerRoutes(api: Api, service: ResellerService): void {
  implement(api, listProviders, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.actor, parsePageRequest(query)))
  })

  implement(api, createProvider, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.actor, body)),
  )

  implement(api, getProvider, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.actor, path.providerId)),
  )

  implement(api, updateProvider, async ({ path, body }, context) => {
    const target = { providerId: path.providerId, ifMatch: context.ifMatch }
    return respondWithEtag(context, await service.update(context.actor, target, body))
  })

  implement(api, deleteProvider, ({ path }, { actor, ifMatch }) =>
    service.remove(actor, { providerId: path.providerId, ifMatch }),
  )

  implement(api, listProviderAdmins, async ({ path, query }, context) => {
    return respondWithPage(context, await service.listAdmins(context.actor, path.providerId, parsePageRequest(query)))
  })

  implement(api, addProviderAdmin, ({ path, body }, { actor }) => service.addAdmin(actor, path.providerId, body))

  implement(api, removeProviderAdmin, ({ path }, { actor }) => service.removeAdmin(actor, path.providerId, path.userId))
}
