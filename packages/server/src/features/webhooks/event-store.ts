import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement, Database, Reader } from '../../kernel/storage/database.ts'
import { prepareQuery, prepareStatement } from '../../kernel/storage/prepared-query.ts'
import type { WebhookDeliveryRow, WebhookEventRow } from '../../tables/webhook-tables.ts'
import type { EventTarget } from './decide-targets.ts'
import type { NewWebhookEvent } from './webhook-ports.ts'

/** An event that has not been published. */
export interface PendingEvent {
  readonly eventId: string
  readonly workspaceId: number
  readonly event: WebhookEventName
  readonly subject: NewWebhookEvent['subject']
  readonly position: number
  readonly createdAt: number
}

type NewEventRow = Omit<WebhookEventRow, 'body'>

const insertEvent = prepareStatement<NewEventRow>((reader, param) =>
  reader.insertInto('webhook_events').values({
    event_id: param('event_id'),
    workspace_id: param('workspace_id'),
    event: param('event'),
    subject_kind: param('subject_kind'),
    subject_id: param('subject_id'),
    position: param('position'),
    untold_since: param('untold_since'),
    created_at: param('created_at'),
  }),
)

/** Builds the statement that stores an event for publication. Events about one subject are published by position. */
export function buildInsertEventStatement(
  database: Pick<Database, 'queryBuilder'>,
  event: PendingEvent,
): BatchStatement {
  const query = insertEvent(database, {
    event_id: event.eventId,
    workspace_id: event.workspaceId,
    event: event.event,
    subject_kind: event.subject.kind,
    subject_id: event.subject.id,
    position: event.position,
    untold_since: event.createdAt,
    created_at: event.createdAt,
  })
  return { query }
}

const selectPendingEvent = prepareQuery<{ readonly eventId: string }, WebhookEventRow>((reader, param) =>
  reader
    .selectFrom('webhook_events')
    .selectAll()
    .where('event_id', '=', param('eventId'))
    .where('untold_since', 'is not', null),
)

/** Finds the event, or returns null if its deliveries exist or the event was deleted. */
export async function findPendingEvent(reader: Reader, eventId: string): Promise<PendingEvent | null> {
  const [row] = await selectPendingEvent(reader, { eventId })
  if (row === undefined) return null
  return {
    eventId,
    workspaceId: row.workspace_id,
    // The casts are safe, because only typed values are stored.
    event: row.event as WebhookEventName,
    subject: { kind: row.subject_kind as NewWebhookEvent['subject']['kind'], id: row.subject_id },
    position: row.position,
    createdAt: row.created_at,
  }
}

const storeBody = prepareStatement<{ readonly eventId: string; readonly body: string }>((reader, param) =>
  reader
    .updateTable('webhook_events')
    .set({ body: param('body'), untold_since: null })
    .where('event_id', '=', param('eventId'))
    .where('untold_since', 'is not', null),
)

/** A delivery that is due immediately. */
interface NewDelivery extends EventTarget {
  readonly deliveryId: string
}

/** Builds the statements that create an event's deliveries. The batch conflicts if the event was already published. */
export function buildPublishStatements(
  database: Pick<Database, 'queryBuilder'>,
  event: PendingEvent,
  publication: { readonly body: string; readonly deliveries: readonly NewDelivery[]; readonly now: number },
): BatchStatement[] {
  const rows = publication.deliveries.map(
    ({ deliveryId, target, webhookId, url, timeoutMs }): WebhookDeliveryRow => ({
      delivery_id: deliveryId,
      workspace_id: event.workspaceId,
      event_id: event.eventId,
      event: event.event,
      subject_kind: event.subject.kind,
      subject_id: event.subject.id,
      position: event.position,
      target,
      webhook_id: webhookId,
      url,
      timeout_ms: timeoutMs,
      status: 'pending',
      attempts: 0,
      tries: 0,
      due_at: publication.now,
      leased_by: null,
      blocking_position: event.position,
      created_at: publication.now,
      ended_at: null,
    }),
  )
  return [
    { query: storeBody(database, { eventId: event.eventId, body: publication.body }), expectRows: 1 },
    { query: database.queryBuilder.insertInto('webhook_deliveries').values(rows).compile() },
  ]
}

/** Builds the statement that deletes an event without recipients. */
export function buildDeleteEventStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  eventId: string,
): BatchStatement {
  const query = queryBuilder
    .deleteFrom('webhook_events')
    .where('event_id', '=', eventId)
    .where('body', 'is', null)
    .compile()
  return { query }
}
