import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Transaction } from '../../kernel/storage/database.ts'

/** Holder of reservations, which belong to no node. */
export const NOBODY = ''
/** Maximum number of rows in one statement. */
const MAX_ROWS = 500

export interface LeaseRequest {
  readonly workspaceId: number
  readonly leaseIds: readonly string[]
  readonly holder: string
  readonly now: number
  readonly expiresAt: number
}

/**
 * Takes leases in order while the workspace has free slots, and returns the ids that the holder now has. The lock on the
 * workspace row serializes acquisitions, so `read-committed` is enough.
 */
export async function acquireLeases(
  transaction: Transaction,
  { workspaceId, leaseIds, holder, now, expiresAt }: LeaseRequest,
  rowLocks: boolean,
): Promise<ReadonlySet<string>> {
  const workspace = transaction
    .selectFrom('workspaces')
    .select(['concurrency_base', 'concurrency_purchased'])
    .where('workspace_id', '=', workspaceId)
  // This lock does not block inserts that reference the workspace, because the key does not change.
  const limits = await (rowLocks ? workspace.forNoKeyUpdate() : workspace).executeTakeFirst()
  if (limits === undefined) return new Set()
  // Expired leases are deleted instead of ignored, so that a late renewal finds its lease gone. The holder's own leases are
  // kept.
  await transaction
    .deleteFrom('leases')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .where((where) => where.or([where('holder', '!=', holder), where('holder', '=', NOBODY)]))
    .execute()
  const moved = await transaction
    .updateTable('leases')
    .set({ holder, expires_at: expiresAt })
    .where('lease_id', 'in', leaseIds)
    .where('workspace_id', '=', workspaceId)
    .returning('lease_id')
    .execute()
  const taken = new Set(moved.map((row) => row.lease_id))
  const { live } = await transaction
    .selectFrom('leases')
    .select((select) => select.fn.countAll<number>().as('live'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const free = Math.max(0, limits.concurrency_base + limits.concurrency_purchased - Number(live))
  const rows = leaseIds
    .filter((leaseId) => !taken.has(leaseId))
    .slice(0, free)
    .map((lease_id) => ({ lease_id, workspace_id: workspaceId, holder, expires_at: expiresAt, created_at: now }))
  if (rows.length === 0) return taken
  const inserted = await transaction
    .insertInto('leases')
    .values(rows)
    .onConflict((conflict) => conflict.column('lease_id').doNothing())
    .returning('lease_id')
    .execute()
  for (const { lease_id } of inserted) taken.add(lease_id)
  return taken
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

/** Removes a holder's leases. If `expiresAt` is given, removes only leases with exactly that expiry. */
export function releaseLeases(
  { compile }: Pick<Database, 'compile'>,
  holder: string,
  leaseIds: readonly string[],
  expiresAt?: number,
): BatchStatement[] {
  return splitIntoChunks(leaseIds, MAX_ROWS).map((ids) => {
    const deletion = compile.deleteFrom('leases').where('holder', '=', holder).where('lease_id', 'in', ids)
    return { query: (expiresAt === undefined ? deletion : deletion.where('expires_at', '=', expiresAt)).compile() }
  })
}

export function releaseNodeLeases({ compile }: Pick<Database, 'compile'>, holder: string): BatchStatement {
  return { query: compile.deleteFrom('leases').where('holder', '=', holder).compile() }
}

/** Removes every holder's leases that expired at or before `until`. */
export function deleteExpiredLeases({ compile }: Pick<Database, 'compile'>, until: number): BatchStatement {
  return { query: compile.deleteFrom('leases').where('expires_at', '<=', until).compile() }
}

export async function hasExpiredLeases({ read }: Pick<Database, 'read'>, until: number): Promise<boolean> {
  const row = await read
    .selectFrom('leases')
    .select('lease_id')
    .where('expires_at', '<=', until)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
