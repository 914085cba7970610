import type { Webhook } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { WebhookRow } from '../../tables/webhook-tables.ts'

/** An endpoint with its edit count. */
export interface StoredWebhook {
  readonly webhook: Webhook
  readonly editCount: number
}

/** Fields that an edit may change. */
export type WebhookFields = Pick<Webhook, 'url' | 'events' | 'description' | 'enabled'>

export async function insertWebhook(
  transaction: Transaction,
  webhook: WebhookFields & { readonly webhookId: string; readonly workspaceId: number; readonly now: number },
): Promise<StoredWebhook> {
  const row = await transaction
    .insertInto('webhooks')
    .values({
      webhook_id: webhook.webhookId,
      workspace_id: webhook.workspaceId,
      ...toColumns(webhook),
      edit_count: 1,
      created_at: webhook.now,
      updated_at: webhook.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toStoredWebhook(row)
}

export async function countWebhooks(transaction: Transaction, workspaceId: number): Promise<number> {
  const { count } = await transaction
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findWebhook(
  reader: Reader,
  workspaceId: number,
  webhookId: string,
): Promise<StoredWebhook | null> {
  const row = await reader
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row === undefined ? null : toStoredWebhook(row)
}

/** Lists the endpoints of the workspace, newest first. */
export async function listWebhooks(reader: Reader, workspaceId: number, page: PageRequest): Promise<Page<Webhook>> {
  const query = reader.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId)
  return await readNewest(query, page, ['created_at', 'webhook_id'], (row) => toStoredWebhook(row).webhook)
}

const selectEnabledWebhooks = prepareQuery<
  { readonly workspaceId: number },
  Pick<WebhookRow, 'webhook_id' | 'url' | 'events'>
>((reader, param) =>
  reader
    .selectFrom('webhooks')
    .select(['webhook_id', 'url', 'events'])
    .where('workspace_id', '=', param('workspaceId'))
    .where('enabled', '=', 1),
)

/** The fields of an endpoint that publishing needs. */
export type ListeningWebhook = Pick<Webhook, 'webhookId' | 'url' | 'events'>

/** Finds the enabled endpoints of the workspace. */
export async function findListeningWebhooks(reader: Reader, workspaceId: number): Promise<readonly ListeningWebhook[]> {
  const rows = await selectEnabledWebhooks(reader, { workspaceId })
  return rows.map(({ webhook_id, url, events }) => ({ webhookId: webhook_id, url, events: parseEvents(events) }))
}

export async function updateWebhook(
  transaction: Transaction,
  webhookId: string,
  changes: WebhookFields & { readonly now: number },
): Promise<StoredWebhook> {
  const row = await transaction
    .updateTable('webhooks')
    .set((webhook) => ({
      ...toColumns(changes),
      edit_count: webhook('edit_count', '+', 1),
      updated_at: changes.now,
    }))
    .where('webhook_id', '=', webhookId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toStoredWebhook(row)
}

/** Deletes the endpoint and cancels its pending deliveries. An attempt in progress still records its result. */
export async function removeWebhook(transaction: Transaction, webhookId: string, now: number): Promise<void> {
  await transaction.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute()
  await transaction
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', due_at: null, blocking_position: null, ended_at: now })
    .where('webhook_id', '=', webhookId)
    .where('due_at', 'is not', null)
    .execute()
}

function toColumns({ url, events, description, enabled }: WebhookFields) {
  return { url, events: JSON.stringify(events), description, enabled: enabled ? 1 : 0 } as const
}

function toStoredWebhook(row: WebhookRow): StoredWebhook {
  return {
    webhook: {
      webhookId: row.webhook_id,
      workspaceId: row.workspace_id,
      url: row.url,
      events: [...parseEvents(row.events)],
      description: row.description,
      enabled: row.enabled === 1,
      createdAt: new Date(row.created_at).toISOString(),
      updatedAt: new Date(row.updated_at).toISOString(),
    },
    editCount: row.edit_count,
  }
}

/** Parses the `events` column. The cast is safe, because values are validated before they are stored. */
function parseEvents(events: string): WebhookEventName[] {
  return JSON.parse(events) as WebhookEventName[]
}
