import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../tables/webhook-tables.ts'

/** Filters of a delivery list. Absent fields match all deliveries. */
export interface DeliveryFilter {
  readonly webhookId?: string | undefined
  readonly event?: WebhookEventName | undefined
  readonly status?: WebhookDeliveryStatus | undefined
  readonly chatId?: string | undefined
  readonly callId?: string | undefined
}

const MAX_ATTEMPTS_SHOWN = 100

/** A delivery with its last attempt. */
type ListedRow = WebhookDeliveryRow & {
  readonly last_status: number | null
  readonly last_error: string | null
}

/** Lists the deliveries of the workspace, newest first. */
export async function listDeliveries(
  reader: Reader,
  workspaceId: number,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<WebhookDelivery>> {
  let query = selectDeliveries(reader).where('delivery.workspace_id', '=', workspaceId)
  if (filter.webhookId !== undefined) query = query.where('delivery.webhook_id', '=', filter.webhookId)
  if (filter.event !== undefined) query = query.where('delivery.event', '=', filter.event)
  if (filter.status !== undefined) query = query.where('delivery.status', '=', filter.status)
  if (filter.chatId !== undefined) {
    query = query.where('delivery.subject_id', '=', filter.chatId).where('delivery.subject_kind', '=', 'chat')
  }
  if (filter.callId !== undefined) {
    query = query.where('delivery.subject_id', '=', filter.callId).where('delivery.subject_kind', '=', 'call')
  }
  return await readNewest(query, page, ['delivery.created_at', 'delivery.delivery_id'], toDelivery)
}

export async function findDelivery(
  reader: Reader,
  workspaceId: number,
  deliveryId: string,
): Promise<WebhookDelivery | null> {
  const row = await selectDeliveries(reader)
    .where('delivery.delivery_id', '=', deliveryId)
    .where('delivery.workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row === undefined ? null : toDelivery(row)
}

/** The request body and the attempts of a delivery. */
interface DeliveryDetails {
  readonly requestBody: string
  /** Attempts, oldest first. */
  readonly attempts: readonly WebhookAttempt[]
}

export async function readDeliveryDetails(
  reader: Reader,
  deliveryId: string,
  eventId: string,
): Promise<DeliveryDetails> {
  const event = await reader
    .selectFrom('webhook_events')
    .select('body')
    .where('event_id', '=', eventId)
    .executeTakeFirst()
  const rows = await reader
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt', 'desc')
    .limit(MAX_ATTEMPTS_SHOWN)
    .execute()
  return { requestBody: event?.body ?? '', attempts: rows.reverse().map(toAttempt) }
}

/** Makes a delivery due immediately and keeps its logged attempts. Does not interrupt an attempt in progress. */
export async function makeDeliveryDue(transaction: Transaction, deliveryId: string, now: number): Promise<void> {
  await transaction
    .updateTable('webhook_deliveries')
    .set((row) => ({
      status: 'pending',
      tries: 0,
      ended_at: null,
      // While a worker has leased the delivery, `due_at` is the expiry of the lease.
      due_at: row
        .case()
        .when('leased_by', 'is not', null)
        .then(row.fn.coalesce('due_at', row.val(now)))
        .else(now)
        .end(),
    }))
    .where('delivery_id', '=', deliveryId)
    .execute()
}

function selectDeliveries(reader: Reader) {
  return reader
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('webhook_attempts as last', (join) =>
      join.onRef('last.delivery_id', '=', 'delivery.delivery_id').onRef('last.attempt', '=', 'delivery.attempts'),
    )
    .selectAll('delivery')
    .select(['last.status as last_status', 'last.error as last_error'])
}

function toDelivery(row: ListedRow): WebhookDelivery {
  const isPending = row.status === 'pending'
  return {
    deliveryId: row.delivery_id,
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    url: row.url,
    eventId: row.event_id,
    // The casts are safe, because values are validated before they are stored.
    event: row.event as WebhookEventName,
    chatId: row.subject_kind === 'chat' ? row.subject_id : null,
    callId: row.subject_kind === 'call' ? row.subject_id : null,
    status: row.status as WebhookDeliveryStatus,
    attemptCount: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: isPending ? toIsoOrNull(row.due_at) : null,
    createdAt: new Date(row.created_at).toISOString(),
    endedAt: toIsoOrNull(row.ended_at),
  }
}

function toAttempt(row: WebhookAttemptRow): WebhookAttempt {
  return {
    attempt: row.attempt,
    at: new Date(row.at).toISOString(),
    status: row.status,
    durationMs: row.duration_ms,
    error: row.error,
    responseBody: row.response_body,
  }
}

function toIsoOrNull(timestampMs: number | null): string | null {
  return timestampMs === null ? null : new Date(timestampMs).toISOString()
}
