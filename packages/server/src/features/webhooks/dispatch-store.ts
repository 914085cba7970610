import { sql } from 'kysely'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Reader } from '../../kernel/storage/database.ts'
import { prepareQuery, prepareStatement } from '../../kernel/storage/prepared-query.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../tables/webhook-tables.ts'
import type { DeliveryOutcome } from './decide-targets.ts'

/** Maximum time that an unpublished event delays later events about the same subject. */
const PENDING_BLOCK_MS = 60_000
/** Rows per statement. */
const BATCH_SIZE = 500

/** A target with pending deliveries and the due time of the first one. */
export interface PendingTarget {
  readonly target: string
  readonly dueAt: number
}

/**
 * Finds every target with pending deliveries. Uses one index lookup per target, so that the backlog of a failing recipient adds
 * no cost.
 */
export async function findPendingTargets(reader: Reader): Promise<readonly PendingTarget[]> {
  const { rows } = await sql<{ target: string; due_at: number }>`
    with recursive pending(target) as (
      select min(target) from webhook_deliveries where due_at is not null
      union all
      select (
        select min(next.target) from webhook_deliveries as next
        where next.due_at is not null and next.target > pending.target
      )
      from pending where pending.target is not null
    )
    select pending.target as target, (
      select min(first.due_at) from webhook_deliveries as first
      where first.target = pending.target and first.due_at is not null
    ) as due_at
    from pending where pending.target is not null`.execute(reader)
  // The last delivery of a target may have ended between the two lookups.
  return rows.flatMap(({ target, due_at }) => (due_at === null ? [] : { target, dueAt: Number(due_at) }))
}

interface DueQuery {
  readonly target: string
  readonly now: number
  readonly unpublishedAfter: number
  readonly limit: number
}

const selectDueDeliveries = prepareQuery<DueQuery, { readonly delivery_id: string }>((reader, param) =>
  reader
    .selectFrom('webhook_deliveries as delivery')
    .select('delivery.delivery_id')
    .where('delivery.target', '=', param('target'))
    .where('delivery.due_at', '<=', param('now'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as earlier')
            .select('earlier.delivery_id')
            .whereRef('earlier.subject_id', '=', 'delivery.subject_id')
            .whereRef('earlier.target', '=', 'delivery.target')
            .whereRef('earlier.blocking_position', '<', 'delivery.position'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_events as unpublished')
            .select('unpublished.event_id')
            .whereRef('unpublished.subject_id', '=', 'delivery.subject_id')
            .whereRef('unpublished.position', '<', 'delivery.position')
            .where('unpublished.untold_since', '>', param('unpublishedAfter')),
        ),
      ),
    )
    .orderBy('delivery.due_at')
    .limit(param('limit')),
)

/**
 * Finds the deliveries to the target that can be sent now, ordered by due time. Skips deliveries that wait for an earlier one.
 */
export async function findDueDeliveries(
  reader: Reader,
  { target, now, limit }: { readonly target: string; readonly now: number; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await selectDueDeliveries(reader, { target, now, limit, unpublishedAfter: now - PENDING_BLOCK_MS })
  return rows.map(({ delivery_id }) => delivery_id)
}

/** A delivery leased by this worker. */
interface ClaimedDelivery {
  readonly deliveryId: string
  readonly target: string
}

export interface Claim {
  readonly worker: string
  readonly now: number
  readonly leaseUntil: number
}

/**
 * Leases deliveries that are still due. If workers compete, each delivery goes to exactly one of them. Uses a batched write and
 * a read instead of a transaction, which would have to queue.
 */
export async function claimDeliveries(
  database: Pick<Database, 'read' | 'queryBuilder' | 'batch' | 'capabilities'>,
  deliveryIds: readonly string[],
  claim: Claim,
): Promise<readonly ClaimedDelivery[]> {
  const chunks = splitIntoChunks(deliveryIds, BATCH_SIZE)
  // A lease lost in a database crash counts as expired.
  await database.batch(
    chunks.map((ids) => buildClaimStatement(database, ids, claim)),
    { durable: false },
  )
  const claimedRows = await Promise.all(
    chunks.map((ids) =>
      database.read
        .selectFrom('webhook_deliveries')
        .select(['delivery_id', 'target'])
        .where('delivery_id', 'in', ids)
        .where('leased_by', '=', claim.worker)
        .where('due_at', '=', claim.leaseUntil)
        .execute(),
    ),
  )
  return claimedRows.flat().map(({ delivery_id, target }) => ({ deliveryId: delivery_id, target }))
}

function buildClaimStatement(
  { queryBuilder, capabilities }: Pick<Database, 'queryBuilder' | 'capabilities'>,
  ids: readonly string[],
  { worker, now, leaseUntil }: Claim,
): BatchStatement {
  const dueQuery = queryBuilder
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .where('due_at', '<=', now)
  const query = queryBuilder
    .updateTable('webhook_deliveries')
    .set({ leased_by: worker, due_at: leaseUntil })
    // Skips rows that another worker has locked.
    .where('delivery_id', 'in', capabilities.skipLocked ? dueQuery.forUpdate().skipLocked() : dueQuery)
    .compile()
  return { query }
}

/** Builds the statements that extend the worker's leases. */
export function buildRenewLeaseStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  deliveryIds: readonly string[],
  { worker, leaseUntil }: Pick<Claim, 'worker' | 'leaseUntil'>,
): BatchStatement[] {
  return splitIntoChunks(deliveryIds, BATCH_SIZE).map((ids) => ({
    query: queryBuilder
      .updateTable('webhook_deliveries')
      .set({ due_at: leaseUntil })
      .where('delivery_id', 'in', ids)
      .where('leased_by', '=', worker)
      .where('due_at', 'is not', null)
      .compile(),
  }))
}

/** Builds the statements that release deliveries without an attempt. Any worker may claim them from `dueAt` on. */
export function buildReleaseStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  deliveryIds: readonly string[],
  { worker, dueAt }: { readonly worker: string; readonly dueAt: number },
): BatchStatement[] {
  return splitIntoChunks(deliveryIds, BATCH_SIZE).map((ids) => ({
    query: queryBuilder
      .updateTable('webhook_deliveries')
      .set({ due_at: dueAt, leased_by: null })
      .where('delivery_id', 'in', ids)
      .where('leased_by', '=', worker)
      .where('due_at', 'is not', null)
      .compile(),
  }))
}

/** The data needed for one attempt. */
export interface LoadedDelivery {
  readonly deliveryId: string
  readonly workspaceId: number
  readonly event: string
  readonly body: string
  /** The endpoint's current URL, or null if the endpoint was deleted. */
  readonly url: string | null
  readonly timeoutMs: number
  /** Number of earlier attempts. */
  readonly attempts: number
  readonly tries: number
}

type LoadedRow = Pick<
  WebhookDeliveryRow,
  'workspace_id' | 'event' | 'webhook_id' | 'url' | 'timeout_ms' | 'attempts' | 'tries'
> & { readonly body: string | null; readonly endpoint_url: string | null }

const selectLeasedDelivery = prepareQuery<{ readonly deliveryId: string; readonly worker: string }, LoadedRow>(
  (reader, param) =>
    reader
      .selectFrom('webhook_deliveries as delivery')
      .innerJoin('webhook_events as event', 'event.event_id', 'delivery.event_id')
      .leftJoin('webhooks as endpoint', 'endpoint.webhook_id', 'delivery.webhook_id')
      .select(['delivery.workspace_id', 'delivery.event', 'event.body', 'delivery.webhook_id', 'delivery.url'])
      .select(['endpoint.url as endpoint_url', 'delivery.timeout_ms', 'delivery.attempts', 'delivery.tries'])
      .where('delivery.delivery_id', '=', param('deliveryId'))
      .where('delivery.leased_by', '=', param('worker'))
      .where('delivery.due_at', 'is not', null),
)

/** Loads a delivery that the worker has leased, or returns null if the lease was lost. */
export async function loadDelivery(reader: Reader, deliveryId: string, worker: string): Promise<LoadedDelivery | null> {
  const [row] = await selectLeasedDelivery(reader, { deliveryId, worker })
  if (row === undefined) return null
  return {
    deliveryId,
    workspaceId: row.workspace_id,
    event: row.event,
    body: row.body ?? '',
    url: row.webhook_id === null ? row.url : row.endpoint_url,
    timeoutMs: row.timeout_ms,
    attempts: row.attempts,
    tries: row.tries,
  }
}

/** An attempt and its outcome. */
interface AttemptRecord {
  readonly row: WebhookAttemptRow
  readonly url: string
  readonly tries: number
  readonly outcome: DeliveryOutcome
  /** Time at which the attempt ended. */
  readonly endedAt: number
}

interface AttemptUpdate {
  readonly deliveryId: string
  readonly worker: string
  readonly attempts: number
  readonly tries: number
  readonly url: string
}

const markAttempt = prepareStatement<AttemptUpdate>((reader, param) =>
  reader
    .updateTable('webhook_deliveries')
    .set({ attempts: param('attempts'), tries: param('tries'), url: param('url'), leased_by: null })
    .where('delivery_id', '=', param('deliveryId'))
    .where('leased_by', '=', param('worker')),
)

const markDelivered = prepareStatement<AttemptUpdate & { readonly endedAt: number }>((reader, param) =>
  reader
    .updateTable('webhook_deliveries')
    .set({ attempts: param('attempts'), tries: param('tries'), url: param('url'), leased_by: null })
    .set({ status: 'delivered', due_at: null, blocking_position: null, ended_at: param('endedAt') })
    .where('delivery_id', '=', param('deliveryId'))
    .where('leased_by', '=', param('worker')),
)

const insertAttempt = prepareStatement<WebhookAttemptRow>((reader, param) =>
  reader.insertInto('webhook_attempts').values({
    delivery_id: param('delivery_id'),
    attempt: param('attempt'),
    at: param('at'),
    status: param('status'),
    duration_ms: param('duration_ms'),
    error: param('error'),
    response_body: param('response_body'),
  }),
)

/** Builds the statements that store an attempt and its outcome. The batch conflicts if the worker has lost the lease. */
export function buildAttemptStatements(
  database: Database,
  worker: string,
  attemptRecord: AttemptRecord,
): BatchStatement[] {
  const { row, url, tries, outcome, endedAt } = attemptRecord
  const attemptUpdate = { deliveryId: row.delivery_id, worker, attempts: row.attempt, tries, url }
  const insertStatement = { query: insertAttempt(database, row) }
  if (outcome.kind === 'delivered') {
    return [{ query: markDelivered(database, { ...attemptUpdate, endedAt }), expectRows: 1 }, insertStatement]
  }
  return [
    { query: markAttempt(database, attemptUpdate), expectRows: 1 },
    insertStatement,
    buildFailureStatement(database, row.delivery_id, attemptRecord),
  ]
}

/** Builds the statement that schedules a retry or marks the delivery as failed, unless it was canceled during the attempt. */
function buildFailureStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  deliveryId: string,
  { outcome, endedAt }: Pick<AttemptRecord, 'outcome' | 'endedAt'>,
): BatchStatement {
  const isEnded = outcome.kind !== 'retry'
  const query = queryBuilder
    .updateTable('webhook_deliveries')
    .set(isEnded ? { status: 'failed', due_at: null, ended_at: endedAt } : { due_at: endedAt + outcome.afterMs })
    .$if(isEnded || !outcome.isBlocking, (update) => update.set({ blocking_position: null }))
    .where('delivery_id', '=', deliveryId)
    .where('due_at', 'is not', null)
    .compile()
  return { query }
}

/** Builds the statement that cancels a delivery whose endpoint was deleted while the delivery was being created. */
export function buildCancelStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  deliveryId: string,
  now: number,
): BatchStatement {
  const query = queryBuilder
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', due_at: null, leased_by: null, blocking_position: null, ended_at: now })
    .where('delivery_id', '=', deliveryId)
    .where('due_at', 'is not', null)
    .compile()
  return { query }
}
