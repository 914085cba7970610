import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  updateWebhook,
} from '@parley/contract/webhook'
import { type Api, implement, withEtag } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { DeliveryService, WebhookService } from './webhook-service.ts'

/** Registers the operations of webhook endpoints and their deliveries. */
export function registerWebhookRoutes(api: Api, webhooks: WebhookService, deliveries: DeliveryService): void {
  registerEndpointRoutes(api, webhooks)
  registerDeliveryRoutes(api, deliveries)
}

function registerEndpointRoutes(api: Api, service: WebhookService): void {
  implement(
    api,
    listWebhooks,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })

  implement(
    api,
    createWebhook,
  )(async ({ body }, context) => withEtag(context, await service.create(context.workspaceId, body)))

  implement(
    api,
    getWebhook,
  )(async ({ path }, context) => withEtag(context, await service.get(context.workspaceId, path.webhookId)))

  implement(
    api,
    updateWebhook,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return withEtag(context, await service.update({ workspaceId, webhookId: path.webhookId, ifMatch }, body))
  })

  implement(
    api,
    deleteWebhook,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, webhookId: path.webhookId, ifMatch })
    return undefined
  })
}

function registerDeliveryRoutes(api: Api, service: DeliveryService): void {
  implement(
    api,
    listWebhookDeliveries,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, query, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })

  implement(api, getWebhookDelivery)(({ path }, { workspaceId }) => service.get(workspaceId, path.deliveryId))

  implement(api, resendWebhookDelivery)(({ path }, { workspaceId }) => service.resend(workspaceId, path.deliveryId))
}
