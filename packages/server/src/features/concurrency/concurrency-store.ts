import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** What a workspace may hold. */
export interface ConcurrencyLimits {
  readonly base: number
  readonly purchased: number
  readonly purchaseLimit: number
}

export async function findLimits(reader: Reader, workspaceId: number): Promise<ConcurrencyLimits | null> {
  const row = await reader
    .selectFrom('workspaces')
    .select(['concurrency_base', 'concurrency_purchased', 'concurrency_purchase_limit'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    base: row.concurrency_base,
    purchased: row.concurrency_purchased,
    purchaseLimit: row.concurrency_purchase_limit,
  }
}

export async function updateLimits(
  transaction: Transaction,
  workspaceId: number,
  { base, purchased, purchaseLimit }: ConcurrencyLimits,
): Promise<void> {
  await transaction
    .updateTable('workspaces')
    .set({
      concurrency_base: base,
      concurrency_purchased: purchased,
      concurrency_purchase_limit: purchaseLimit,
    })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

/** Slots that are held: a lease that nobody renewed holds nothing. */
export async function countLiveLeases(reader: Reader, workspaceId: number, now: number): Promise<number> {
  const row = await reader
    .selectFrom('leases')
    .select((select) => select.fn.countAll<number>().as('live'))
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(row.live)
}
