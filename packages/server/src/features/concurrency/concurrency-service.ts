import {
  type Concurrency,
  getConcurrency,
  type UpdateConcurrencyBody,
  updateConcurrency,
} from '@parley/contract/concurrency'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'

interface ConcurrencyService {
  /** Returns the workspace's concurrency limit and its current number of concurrent calls. */
  getConcurrency(workspaceId: number): Promise<Concurrency>
  /** Changes the concurrency limits. Throws `invalid_request` if the purchase would exceed its limit. */
  updateConcurrency(workspaceId: number, changes: UpdateConcurrencyBody): Promise<Concurrency>
}

export function createConcurrencyService({
  database,
  clock,
}: {
  database: Database
  clock: Omit<SharedClock, 'after'>
}): ConcurrencyService {
  async function requireLimits(reader: Reader, workspaceId: number): Promise<ConcurrencyLimits> {
    const limits = await findLimits(reader, workspaceId)
    if (limits === null) throw notFound('workspace', workspaceId)
    return limits
  }

  async function buildConcurrency(
    reader: Reader,
    workspaceId: number,
    limits: ConcurrencyLimits,
  ): Promise<Concurrency> {
    return {
      maxConcurrent: limits.base + limits.purchased,
      currentUsage: await countLiveLeases(reader, workspaceId, clock.now()),
      purchasedConcurrency: limits.purchased,
      concurrencyPurchaseLimit: limits.purchaseLimit,
    }
  }

  return {
    getConcurrency: async (workspaceId) =>
      buildConcurrency(database.read, workspaceId, await requireLimits(database.read, workspaceId)),

    updateConcurrency: (workspaceId, changes) =>
      database.transaction(async (transaction) => {
        const current = await requireLimits(transaction, workspaceId)
        const limits = {
          base: changes.baseConcurrency ?? current.base,
          purchased: changes.purchasedConcurrency ?? current.purchased,
          purchaseLimit: changes.concurrencyPurchaseLimit ?? current.purchaseLimit,
        }
        checkPurchaseLimit(limits, changes)
        await updateLimits(transaction, workspaceId, limits)
        return await buildConcurrency(transaction, workspaceId, limits)
      }),
  }
}

/** Throws if the purchase exceeds its limit. The error names the field that the caller sent. */
function checkPurchaseLimit({ purchased, purchaseLimit }: ConcurrencyLimits, changes: UpdateConcurrencyBody): void {
  if (purchased <= purchaseLimit) return
  if (changes.purchasedConcurrency === undefined) {
    throw invalidField('concurrencyPurchaseLimit', `must be at least ${purchased}, the purchased amount`)
  }
  throw invalidField('purchasedConcurrency', `must be at most ${purchaseLimit}, the purchase limit`)
}

export function registerConcurrencyRoutes(api: Api, service: ConcurrencyService): void {
  implement(api, getConcurrency, (_input, { workspaceId }) => service.getConcurrency(workspaceId))

  implement(api, updateConcurrency, ({ body }, { workspaceId }) => service.updateConcurrency(workspaceId, body))
}

interface ConcurrencyLimits {
  readonly base: number
  readonly purchased: number
  readonly purchaseLimit: number
}

async function findLimits(reader: Reader, workspaceId: number): Promise<ConcurrencyLimits | null> {
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

async function updateLimits(
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

/** Counts the leases that have not expired. */
async function countLiveLeases(reader: Reader, workspaceId: number, now: number): Promise<number> {
  const row = await reader
    .selectFrom('leases')
    .select((select) => select.fn.countAll<number>().as('live'))
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(row.live)
}
