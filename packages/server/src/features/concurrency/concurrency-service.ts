import type { Concurrency } from '@parley/contract/concurrency'
import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../kernel/database.ts'
import { notFound } from '../../kernel/errors.ts'
import { countLiveLeases, findLimits } from './concurrency-store.ts'

export interface ConcurrencyService {
  /** How many calls may be live at once in the workspace and how many are. */
  getConcurrency(workspaceId: number): Promise<Concurrency>
}

export function createConcurrencyService({
  database,
  clock,
}: {
  database: Database
  clock: Clock
}): ConcurrencyService {
  return {
    async getConcurrency(workspaceId) {
      const limits = await findLimits(database.read, workspaceId)
      if (limits === null) throw notFound('workspace', workspaceId)
      return {
        maxConcurrent: limits.base + limits.purchased,
        currentUsage: await countLiveLeases(database.read, workspaceId, clock.now()),
        purchasedConcurrency: limits.purchased,
        concurrencyPurchaseLimit: limits.purchaseLimit,
      }
    },
  }
}
