import type { Concurrency, UpdateConcurrencyBody } from '@parley/contract/concurrency'
import { invalidField, notFound } from '../../kernel/errors.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type ConcurrencyLimits, countLiveLeases, findLimits, updateLimits } from './concurrency-store.ts'

export interface ConcurrencyService {
  /** How many calls may be live at once in the workspace and how many are. */
  getConcurrency(workspaceId: number): Promise<Concurrency>
  /** Throws `invalid_request` where more would be purchased than the limit allows. */
  updateConcurrency(workspaceId: number, changes: UpdateConcurrencyBody): Promise<Concurrency>
}

export function createConcurrencyService({
  database,
  clock,
}: {
  database: Database
  clock: Omit<SharedClock, 'after'>
}): ConcurrencyService {
  async function readLimits(reader: Reader, workspaceId: number): Promise<ConcurrencyLimits> {
    const limits = await findLimits(reader, workspaceId)
    if (limits === null) throw notFound('workspace', workspaceId)
    return limits
  }

  async function describe(reader: Reader, workspaceId: number, limits: ConcurrencyLimits): Promise<Concurrency> {
    return {
      maxConcurrent: limits.base + limits.purchased,
      currentUsage: await countLiveLeases(reader, workspaceId, clock.now()),
      purchasedConcurrency: limits.purchased,
      concurrencyPurchaseLimit: limits.purchaseLimit,
    }
  }

  return {
    getConcurrency: async (workspaceId) =>
      describe(database.read, workspaceId, await readLimits(database.read, workspaceId)),

    updateConcurrency: (workspaceId, changes) =>
      database.transaction(async (transaction) => {
        const current = await readLimits(transaction, workspaceId)
        const limits = {
          base: changes.baseConcurrency ?? current.base,
          purchased: changes.purchasedConcurrency ?? current.purchased,
          purchaseLimit: changes.concurrencyPurchaseLimit ?? current.purchaseLimit,
        }
        checkPurchase(limits, changes)
        await updateLimits(transaction, workspaceId, limits)
        return await describe(transaction, workspaceId, limits)
      }),
  }
}

/** The field that the caller gave is the wrong one. */
function checkPurchase({ purchased, purchaseLimit }: ConcurrencyLimits, changes: UpdateConcurrencyBody): void {
  if (purchased <= purchaseLimit) return
  if (changes.purchasedConcurrency === undefined) {
    throw invalidField('concurrencyPurchaseLimit', `must be at least ${purchased}, which is what is purchased`)
  }
  throw invalidField('purchasedConcurrency', `must be at most ${purchaseLimit}, the purchase limit`)
}
