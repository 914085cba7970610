import type { WebhookDelivery, WebhookDeliveryDetail } from '@parley/contract/webhook'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type DeliveryFilter, findDelivery, listDeliveries, readRecord, renewDelivery } from './delivery-store.ts'
import { findWebhook } from './webhook-store.ts'

export interface DeliveryServiceDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  /** Has due deliveries looked for now. */
  readonly wake: () => void
}

/** The record of deliveries. */
export interface DeliveryService {
  list(workspaceId: number, filter: DeliveryFilter, page: PageRequest): Promise<Page<WebhookDelivery>>
  get(workspaceId: number, deliveryId: string): Promise<WebhookDeliveryDetail>
  /** Sends a delivery again, whatever became of it. Throws `not_found` when its endpoint is gone. */
  resend(workspaceId: number, deliveryId: string): Promise<WebhookDelivery>
}

export function createDeliveryService({ database, clock, wake }: DeliveryServiceDependencies): DeliveryService {
  return {
    list: (workspaceId, filter, page) => listDeliveries(database.read, workspaceId, filter, page),

    async get(workspaceId, deliveryId) {
      const delivery = await findDelivery(database.read, workspaceId, deliveryId)
      if (delivery === null) throw notFound('webhook delivery', deliveryId)
      const { requestBody, attempts } = await readRecord(database.read, deliveryId, delivery.eventId)
      return { ...delivery, requestBody, attempts: [...attempts] }
    },

    async resend(workspaceId, deliveryId) {
      const delivery = await database.transaction(async (transaction) => {
        const found = await findDelivery(transaction, workspaceId, deliveryId)
        if (found === null) throw notFound('webhook delivery', deliveryId)
        const { webhookId } = found
        if (webhookId !== null && (await findWebhook(transaction, workspaceId, webhookId)) === null) {
          throw notFound('webhook', webhookId)
        }
        await renewDelivery(transaction, deliveryId, clock.now())
        return await findDelivery(transaction, workspaceId, deliveryId)
      })
      if (delivery === null) throw notFound('webhook delivery', deliveryId)
      wake()
      return delivery
    },
  }
}
