import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Transaction } from '../../kernel/storage/database.ts'

/** Holder value of a reservation that no node holds. */
export const NO_NODE = ''
/** Maximum number of rows in one statement. */
const MAX_ROWS_PER_STATEMENT = 500

export interface LeaseRequest {
  readonly workspaceId: number
  readonly leaseIds: readonly string[]
  readonly holder: string
  readonly now: number
  readonly expiresAt: number
}

/**
 * Acquires leases in order while the workspace has free slots, and returns the ids of the leases that the holder now has. The
 * lock on the workspace row serializes acquisitions, so `read-committed` is enough.
 */
export async function acquireLeases(
  transaction: Transaction,
  { workspaceId, leaseIds, holder, now, expiresAt }: LeaseRequest,
  supportsRowLocks: boolean,
): Promise<ReadonlySet<string>> {
  const workspaceQuery = transaction
    .selectFrom('workspaces')
    .select(['concurrency_base', 'concurrency_purchased'])
    .where('workspace_id', '=', workspaceId)
  // This lock does not block inserts that reference the workspace, because the key does not change.
  const limits = await (supportsRowLocks ? workspaceQuery.forNoKeyUpdate() : workspaceQuery).executeTakeFirst()
  if (limits === undefined) return new Set()
  // Expired leases are deleted instead of ignored, so that a late renewal cannot find them. The
  // holder's own leases are kept.
  await transaction
    .deleteFrom('leases')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .where((builder) => builder.or([builder('holder', '!=', holder), builder('holder', '=', NO_NODE)]))
    .execute()
  const updatedRows = await transaction
    .updateTable('leases')
    .set({ holder, expires_at: expiresAt })
    .where('lease_id', 'in', leaseIds)
    .where('workspace_id', '=', workspaceId)
    .returning('lease_id')
    .execute()
  const acquiredIds = new Set(updatedRows.map((row) => row.lease_id))
  const { live } = await transaction
    .selectFrom('leases')
    .select((builder) => builder.fn.countAll<number>().as('live'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const freeSlotCount = Math.max(0, limits.concurrency_base + limits.concurrency_purchased - Number(live))
  const rows = leaseIds
    .filter((leaseId) => !acquiredIds.has(leaseId))
    .slice(0, freeSlotCount)
    .map((lease_id) => ({ lease_id, workspace_id: workspaceId, holder, expires_at: expiresAt, created_at: now }))
  if (rows.length === 0) return acquiredIds
  const insertedRows = await transaction
    .insertInto('leases')
    .values(rows)
    .onConflict((conflict) => conflict.column('lease_id').doNothing())
    .returning('lease_id')
    .execute()
  for (const { lease_id } of insertedRows) acquiredIds.add(lease_id)
  return acquiredIds
}

/** Extends all of a holder's leases in one statement and returns the ids that still exist. */
export async function renewLeases(
  transaction: Transaction,
  holder: string,
  expiresAt: number,
): Promise<ReadonlySet<string>> {
  const rows = await transaction
    .updateTable('leases')
    .set({ expires_at: expiresAt })
    .where('holder', '=', holder)
    .returning('lease_id')
    .execute()
  return new Set(rows.map((row) => row.lease_id))
}

/** Builds the statements that delete a holder's leases. `expiresAt` limits the deletion to leases with exactly that expiry. */
export function buildReleaseStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  holder: string,
  leaseIds: readonly string[],
  expiresAt?: number,
): BatchStatement[] {
  return splitIntoChunks(leaseIds, MAX_ROWS_PER_STATEMENT).map((ids) => {
    const query = queryBuilder.deleteFrom('leases').where('holder', '=', holder).where('lease_id', 'in', ids)
    return { query: (expiresAt === undefined ? query : query.where('expires_at', '=', expiresAt)).compile() }
  })
}

export function buildReleaseNodeStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  holder: string,
): BatchStatement {
  return { query: queryBuilder.deleteFrom('leases').where('holder', '=', holder).compile() }
}

/** Builds the statement that deletes all leases that expired at or before `cutoffMs`. */
export function buildDeleteExpiredStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  cutoffMs: number,
): BatchStatement {
  return { query: queryBuilder.deleteFrom('leases').where('expires_at', '<=', cutoffMs).compile() }
}

export async function hasExpiredLeases({ read }: Pick<Database, 'read'>, cutoffMs: number): Promise<boolean> {
  const row = await read
    .selectFrom('leases')
    .select('lease_id')
    .where('expires_at', '<=', cutoffMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
