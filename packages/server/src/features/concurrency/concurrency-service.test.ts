import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { openTenancy } from '../members/tenancy-test-kit.ts'
import { createConcurrencyService } from './concurrency-service.ts'

test('counts only unexpired leases of this workspace', async () => {
  await using database = await temporaryDatabase()
  const { clock } = createManualClock()
  const now = clock.now()
  await seedWorkspaces(database, [1, 2], { concurrency_purchased: 5 })
  await database.transaction(async (transaction) => {
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
  const service = createConcurrencyService({ database, clock: createSharedClock(clock) })
  expect(await service.getConcurrency(1)).toEqual({
    maxConcurrent: 25,
    currentUsage: 2,
    purchasedConcurrency: 5,
    concurrencyPurchaseLimit: 100,
  })
  await expect(service.getConcurrency(3)).rejects.toMatchObject({ code: 'not_found' })
})

test('only administrators of the tenant can change the limit', async () => {
  await using tenancy = await openTenancy()
  const userNames = ['owner', 'house', 'boss', 'reseller', 'rival', 'admin', 'editor', 'viewer', 'outsider'] as const
  const endpoint = 'PATCH /api/concurrency'
  const workspaceForbidden = '403 workspace_forbidden'
  const forbidden = '403 forbidden'
  expect(await tenancy.collectStatuses(userNames, endpoint, { workspaceId: 1, baseConcurrency: 5 })).toEqual({
    owner: '200',
    house: '200',
    boss: '200',
    reseller: workspaceForbidden,
    rival: workspaceForbidden,
    outsider: forbidden,
    admin: forbidden,
    editor: forbidden,
    viewer: forbidden,
  })
})

test('keeps the purchased amount within its limit when either changes', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('boss')
  const update = (body: object) => send('PATCH /api/concurrency', { workspaceId: 1, ...body })
  const response = await update({ base_concurrency: 5, purchasedConcurrency: 50, concurrencyPurchaseLimit: 60 })
  const limits = { maxConcurrent: 55, currentUsage: 0, purchasedConcurrency: 50, concurrencyPurchaseLimit: 60 }
  expect(response).toMatchObject({ status: 200, body: limits })
  expect((await update({})).body).toEqual(limits)
  expect((await update({ purchasedConcurrency: 61 })).body.details).toMatchObject([{ path: 'purchasedConcurrency' }])
  expect((await update({ concurrencyPurchaseLimit: 49 })).body.details).toMatchObject([
    { path: 'concurrencyPurchaseLimit' },
  ])
  for (const value of [-1, 10_001, 1.5, '5']) expect((await update({ baseConcurrency: value })).status).toBe(400)
  expect((await send('GET /api/concurrency?workspaceId=1')).body).toEqual(limits)
  expect((await update({ baseConcurrency: null, purchasedConcurrency: null })).body).toMatchObject({
    maxConcurrent: 20,
  })
  expect((await update({ baseConcurrency: 0 })).body.maxConcurrent).toBe(0)
  expect((await send('GET /api/concurrency?workspaceId=2')).body.maxConcurrent).toBe(20)
})
