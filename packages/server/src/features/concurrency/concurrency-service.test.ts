import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { shareClock } from '../../kernel/work/shared-clock.ts'
import { createConcurrencyService } from './concurrency-service.ts'

test('counts the leases that have not lapsed, of this workspace only', async () => {
  await using database = await temporaryDatabase()
  const { clock } = manualClock()
  const now = clock.now()
  await database.transaction(async (transaction) => {
    const tenant = {
      account_sid: 'account',
      provider_id: 'provider',
      account_path: '/default/main',
      name: 'Main',
      created_at: 0,
    }
    await transaction.insertInto('tenants').values(tenant).execute()
    const limits = { concurrency_base: 20, concurrency_purchased: 5, concurrency_purchase_limit: 100 }
    const rest = { account_sid: 'account', name: '', native_transfer_enabled: 0 as const, created_at: 0, ...limits }
    for (const workspace_id of [1, 2]) {
      await transaction
        .insertInto('workspaces')
        .values({ workspace_id, ...rest })
        .execute()
    }
    for (const [index, [workspace_id, expires_at]] of (
      [
        [1, now + 1],
        [1, now + 9_000],
        [1, now],
        [2, now + 1],
      ] as const
    ).entries()) {
      const lease = { lease_id: `lease_${index}`, holder: 'node', created_at: now, workspace_id, expires_at }
      await transaction.insertInto('leases').values(lease).execute()
    }
  })
  const service = createConcurrencyService({ database, clock: shareClock(clock) })
  expect(await service.getConcurrency(1)).toEqual({
    maxConcurrent: 25,
    currentUsage: 2,
    purchasedConcurrency: 5,
    concurrencyPurchaseLimit: 100,
  })
  await expect(service.getConcurrency(3)).rejects.toMatchObject({ code: 'not_found' })
})
