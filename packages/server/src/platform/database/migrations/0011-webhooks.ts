import { type Kysely, sql } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates the webhook endpoints of workspaces, their events and deliveries. */
export async function addWebhooks(database: Kysely<unknown>): Promise<void> {
  await createEndpoints(database)
  await createEvents(database)
  await createDeliveries(database)
  await indexDeliveries(database)
}

async function createEndpoints({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('webhook_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('url', 'text', required)
    .addColumn('events', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('enabled', 'integer', required)
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('webhooks_of_workspace')
    .on('webhooks')
    .columns(['workspace_id', 'created_at desc', 'webhook_id desc'])
    .execute()
}

async function createEvents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhook_events')
    .addColumn('event_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('event', 'text', required)
    .addColumn('subject_kind', 'text', required)
    .addColumn('subject_id', 'text', required)
    .addColumn('position', 'bigint', required)
    .addColumn('body', 'text')
    .addColumn('untold_since', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('webhook_events_by_age').on('webhook_events').column('created_at').execute()
  await schema.createIndex('webhook_events_of_workspace').on('webhook_events').column('workspace_id').execute()
  await schema.createIndex('webhook_events_of_subject').on('webhook_events').column('subject_id').execute()
  await schema
    .createIndex('webhook_events_untold')
    .on('webhook_events')
    .columns(['subject_id', 'position'])
    .where(sql.ref('untold_since'), 'is not', null)
    .execute()
}

async function createDeliveries({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhook_deliveries')
    .addColumn('delivery_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('event_id', 'text', referenceTo('webhook_events.event_id'))
    .addColumn('event', 'text', required)
    .addColumn('subject_kind', 'text', required)
    .addColumn('subject_id', 'text', required)
    .addColumn('position', 'bigint', required)
    .addColumn('target', 'text', required)
    // Not a reference, because deliveries outlive their endpoint.
    .addColumn('webhook_id', 'text')
    .addColumn('url', 'text', required)
    .addColumn('timeout_ms', 'integer', required)
    .addColumn('status', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('tries', 'integer', required)
    .addColumn('due_at', 'bigint')
    .addColumn('leased_by', 'text')
    .addColumn('blocking_position', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addUniqueConstraint('webhook_deliveries_of_event', ['event_id', 'target'])
    .execute()
  await schema
    .createTable('webhook_attempts')
    .addColumn('delivery_id', 'text', referenceTo('webhook_deliveries.delivery_id'))
    .addColumn('attempt', 'integer', required)
    .addColumn('at', 'bigint', required)
    .addColumn('status', 'integer')
    .addColumn('duration_ms', 'integer', required)
    .addColumn('error', 'text')
    .addColumn('response_body', 'text', required)
    .addPrimaryKeyConstraint('webhook_attempts_key', ['delivery_id', 'attempt'])
    .execute()
}

/** Creates one index for each list filter, because any value can be rare, and two indexes for pending deliveries. */
async function indexDeliveries({ schema }: Kysely<unknown>): Promise<void> {
  const lists: Readonly<Record<string, readonly string[]>> = {
    webhook_deliveries_of_workspace: ['workspace_id'],
    webhook_deliveries_by_status: ['workspace_id', 'status'],
    webhook_deliveries_by_event: ['workspace_id', 'event'],
    webhook_deliveries_of_webhook: ['webhook_id'],
    webhook_deliveries_about: ['subject_id'],
  }
  for (const [name, columns] of Object.entries(lists)) {
    await schema
      .createIndex(name)
      .on('webhook_deliveries')
      .columns([...columns, 'created_at desc', 'delivery_id desc'])
      .execute()
  }
  await schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['target', 'due_at'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
  await schema
    .createIndex('webhook_deliveries_blocking')
    .on('webhook_deliveries')
    .columns(['subject_id', 'target', 'blocking_position'])
    .where(sql.ref('blocking_position'), 'is not', null)
    .execute()
}
