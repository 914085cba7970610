import { isIP } from 'node:net'
import {
  type CreateWebhookBody,
  MAX_WEBHOOKS,
  type UpdateWebhookBody,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookWritten,
} from '@parley/contract/webhook'
import type { MakeId } from '@parley/engine/ports'
import { checkEditCount, editFields, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import {
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  makeDeliveryDue,
  readDeliveryDetails,
} from './delivery-store.ts'
import type { WebhookListeners } from './webhook-listeners.ts'
import type { AllowedTargets } from './webhook-ports.ts'
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  removeWebhook,
  type StoredWebhook,
  updateWebhook,
} from './webhook-store.ts'

const LOOPBACK = '127.0.0.1'

/**
 * Returns a warning if deliveries to the URL will be rejected. Checks only IP addresses and localhost, because other host names
 * are resolved when a delivery is sent.
 */
export function collectUrlWarnings(url: string, targets: AllowedTargets): string[] {
  const { hostname: bracketedHostname, port, protocol } = new URL(url)
  const hostname = bracketedHostname.replace(/^\[|\]$/g, '')
  const address = isIP(hostname) !== 0 ? hostname : isLocalhost(hostname) ? LOOPBACK : null
  if (address === null) return []
  if (targets.allows({ hostname, port: getPort(port, protocol), address })) return []
  return [`The address ${hostname} is not public: deliveries to it are rejected unless the operator allows it.`]
}

function isLocalhost(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname)
}

function getPort(port: string, protocol: string): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

interface WebhookServiceDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly targets: AllowedTargets
  readonly listeners: Pick<WebhookListeners, 'announceChange'>
}

const EDITABLE_FIELDS = ['url', 'events', 'description', 'enabled'] as const

/** The endpoint to change and the edit count that the caller expects. */
interface WebhookTarget {
  readonly workspaceId: number
  readonly webhookId: string
  readonly ifMatch: number | null
}

/** Manages webhook endpoints. */
export interface WebhookService {
  list(workspaceId: number, page: PageRequest): Promise<Page<Webhook>>
  get(workspaceId: number, webhookId: string): Promise<WithEditCount<Webhook>>
  create(workspaceId: number, body: CreateWebhookBody): Promise<WithEditCount<WebhookWritten>>
  update(target: WebhookTarget, body: UpdateWebhookBody): Promise<WithEditCount<WebhookWritten>>
  remove(target: WebhookTarget): Promise<void>
}

export function createWebhookService(dependencies: WebhookServiceDependencies): WebhookService {
  const { database, clock, makeId, targets, listeners } = dependencies

  const toWebhookWritten = ({ webhook, editCount }: StoredWebhook): WithEditCount<WebhookWritten> => ({
    response: { ...webhook, warnings: collectUrlWarnings(webhook.url, targets) },
    editCount,
  })

  return {
    list: (workspaceId, page) => listWebhooks(database.read, workspaceId, page),

    async get(workspaceId, webhookId) {
      const storedWebhook = await findWebhook(database.read, workspaceId, webhookId)
      if (storedWebhook === null) throw notFound('webhook', webhookId)
      return { response: storedWebhook.webhook, editCount: storedWebhook.editCount }
    },

    async create(workspaceId, { url, events, description, enabled }) {
      const webhookId = makeId('webhook')
      const newWebhook = await database.transaction(async (transaction) => {
        if ((await countWebhooks(transaction, workspaceId)) >= MAX_WEBHOOKS) throw createTooManyWebhooksError()
        const now = clock.now()
        return await insertWebhook(transaction, { webhookId, workspaceId, url, events, description, enabled, now })
      })
      listeners.announceChange(workspaceId)
      return toWebhookWritten(newWebhook)
    },

    async update(target, body) {
      const updatedWebhook = await database.transaction(async (transaction) => {
        const { webhook } = await findForEdit(transaction, target)
        const settings = editFields(EDITABLE_FIELDS, webhook, body)
        return await updateWebhook(transaction, webhook.webhookId, { ...settings, now: clock.now() })
      })
      listeners.announceChange(target.workspaceId)
      return toWebhookWritten(updatedWebhook)
    },

    async remove(target) {
      await database.transaction(async (transaction) => {
        const { webhook } = await findForEdit(transaction, target)
        await removeWebhook(transaction, webhook.webhookId, clock.now())
      })
      listeners.announceChange(target.workspaceId)
    },
  }
}

async function findForEdit(transaction: Transaction, target: WebhookTarget): Promise<StoredWebhook> {
  const { workspaceId, webhookId, ifMatch } = target
  const storedWebhook = await findWebhook(transaction, workspaceId, webhookId)
  if (storedWebhook === null) throw notFound('webhook', webhookId)
  checkEditCount({ kind: 'webhook', id: webhookId }, ifMatch, storedWebhook.editCount)
  return storedWebhook
}

function createTooManyWebhooksError(): AppError {
  const message = `a workspace has at most ${MAX_WEBHOOKS} webhooks`
  return new AppError('invalid_request', `The webhook was not created: ${message}. Delete one first.`, {
    details: [{ path: '', message }],
  })
}

interface DeliveryServiceDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  /** Triggers a check for due deliveries. */
  readonly wake: () => void
}

/** Reads the delivery log and resends deliveries. */
export interface DeliveryService {
  list(workspaceId: number, filter: DeliveryFilter, page: PageRequest): Promise<Page<WebhookDelivery>>
  get(workspaceId: number, deliveryId: string): Promise<WebhookDeliveryDetail>
  /** Sends a delivery again, regardless of its status. Throws `not_found` if its endpoint was deleted. */
  resend(workspaceId: number, deliveryId: string): Promise<WebhookDelivery>
}

export function createDeliveryService({ database, clock, wake }: DeliveryServiceDependencies): DeliveryService {
  return {
    list: (workspaceId, filter, page) => listDeliveries(database.read, workspaceId, filter, page),

    async get(workspaceId, deliveryId) {
      const delivery = await findDelivery(database.read, workspaceId, deliveryId)
      if (delivery === null) throw notFound('webhook delivery', deliveryId)
      const { requestBody, attempts } = await readDeliveryDetails(database.read, deliveryId, delivery.eventId)
      return { ...delivery, requestBody, attempts: [...attempts] }
    },

    async resend(workspaceId, deliveryId) {
      const delivery = await database.transaction(async (transaction) => {
        const existing = await findDelivery(transaction, workspaceId, deliveryId)
        if (existing === null) throw notFound('webhook delivery', deliveryId)
        const { webhookId } = existing
        if (webhookId !== null && (await findWebhook(transaction, workspaceId, webhookId)) === null) {
          throw notFound('webhook', webhookId)
        }
        await makeDeliveryDue(transaction, deliveryId, clock.now())
        return await findDelivery(transaction, workspaceId, deliveryId)
      })
      if (delivery === null) throw notFound('webhook delivery', deliveryId)
      wake()
      return delivery
    },
  }
}
