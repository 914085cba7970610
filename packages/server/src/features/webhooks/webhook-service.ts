import {
  type CreateWebhookBody,
  MAX_WEBHOOKS,
  type UpdateWebhookBody,
  type Webhook,
  type WebhookWritten,
} from '@parley/contract/webhook'
import type { MakeId } from '@parley/engine/ports'
import { checkEditCount, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { addressWarnings } from './literal-address.ts'
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

export interface WebhookServiceDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly targets: AllowedTargets
  readonly listeners: Pick<WebhookListeners, 'announceChange'>
}

/** Names one endpoint and the edit that the caller knows of. */
export interface WebhookTarget {
  readonly workspaceId: number
  readonly webhookId: string
  readonly ifMatch: number | null
}

/** The endpoints of workspaces. */
export interface WebhookService {
  list(workspaceId: number, page: PageRequest): Promise<Page<Webhook>>
  get(workspaceId: number, webhookId: string): Promise<WithEditCount<Webhook>>
  create(workspaceId: number, body: CreateWebhookBody): Promise<WithEditCount<WebhookWritten>>
  update(target: WebhookTarget, body: UpdateWebhookBody): Promise<WithEditCount<WebhookWritten>>
  remove(target: WebhookTarget): Promise<void>
}

export function createWebhookService(dependencies: WebhookServiceDependencies): WebhookService {
  const { database, clock, makeId, targets, listeners } = dependencies

  const written = ({ webhook, editCount }: StoredWebhook): WithEditCount<WebhookWritten> => ({
    answer: { ...webhook, warnings: addressWarnings(webhook.url, targets) },
    editCount,
  })

  return {
    list: (workspaceId, page) => listWebhooks(database.read, workspaceId, page),

    async get(workspaceId, webhookId) {
      const found = await findWebhook(database.read, workspaceId, webhookId)
      if (found === null) throw notFound('webhook', webhookId)
      return { answer: found.webhook, editCount: found.editCount }
    },

    async create(workspaceId, { url, events, description, enabled }) {
      const webhookId = makeId('webhook')
      const inserted = await database.transaction(async (transaction) => {
        if ((await countWebhooks(transaction, workspaceId)) >= MAX_WEBHOOKS) throw tooMany()
        const now = clock.now()
        return await insertWebhook(transaction, { webhookId, workspaceId, url, events, description, enabled, now })
      })
      listeners.announceChange(workspaceId)
      return written(inserted)
    },

    async update(target, { url, events, description, enabled }) {
      const updated = await database.transaction(async (transaction) => {
        const { webhook } = await findUnedited(transaction, target)
        return await updateWebhook(transaction, webhook.webhookId, {
          url: url ?? webhook.url,
          events: events ?? webhook.events,
          description: description ?? webhook.description,
          enabled: enabled ?? webhook.enabled,
          now: clock.now(),
        })
      })
      listeners.announceChange(target.workspaceId)
      return written(updated)
    },

    async remove(target) {
      await database.transaction(async (transaction) => {
        const { webhook } = await findUnedited(transaction, target)
        await removeWebhook(transaction, webhook.webhookId, clock.now())
      })
      listeners.announceChange(target.workspaceId)
    },
  }
}

async function findUnedited(transaction: Transaction, target: WebhookTarget): Promise<StoredWebhook> {
  const { workspaceId, webhookId, ifMatch } = target
  const found = await findWebhook(transaction, workspaceId, webhookId)
  if (found === null) throw notFound('webhook', webhookId)
  checkEditCount({ what: 'webhook', id: webhookId }, ifMatch, found.editCount)
  return found
}

function tooMany(): AppError {
  const message = `a workspace has at most ${MAX_WEBHOOKS} webhooks`
  return new AppError('invalid_request', `The webhook was not made: ${message}. Delete one first.`, {
    details: [{ path: '', message }],
  })
}
