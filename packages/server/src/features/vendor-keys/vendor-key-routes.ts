import {
  createProviderKey,
  deleteProviderKey,
  listProviderKeys,
  updateProviderKey,
} from '@parley/contract/provider-key'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { VendorKeyService } from './vendor-key-service.ts'

/** No workspace has this id: what the context says when a request names none. */
const NO_WORKSPACE = 0

/** Mounts the operations of provider keys. */
export function registerVendorKeyRoutes(api: Api, service: VendorKeyService): void {
  implement(
    api,
    listProviderKeys,
  )(async ({ query }, context) => {
    const named = {
      workspaceId: context.workspaceId === NO_WORKSPACE ? null : context.workspaceId,
      tenantId: query.tenantId ?? null,
      providerId: query.providerId ?? null,
    }
    const { items, next } = await service.list(context.actor, named, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })

  implement(api, createProviderKey)(async ({ body }, { actor }) => await service.create(actor, body))

  implement(
    api,
    updateProviderKey,
  )(async ({ path, body }, { actor }) => await service.update(actor, path.providerKeyId, body))

  implement(
    api,
    deleteProviderKey,
  )(async ({ path }, { actor }) => {
    await service.remove(actor, path.providerKeyId)
    return undefined
  })
}
