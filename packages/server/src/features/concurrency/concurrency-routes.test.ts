import { expect, test } from 'vitest'
import { openTenancy } from '../members/tenancy-test-kit.ts'

test('the limit is changed by administrators of the account', async () => {
  await using tenancy = await openTenancy()
  const everybody = ['owner', 'house', 'boss', 'reseller', 'rival', 'admin', 'editor', 'viewer', 'stranger'] as const
  const line = 'PATCH /api/concurrency'
  const outside = '403 workspace_forbidden'
  const below = '403 forbidden'
  expect(await tenancy.answersOf(everybody, line, { workspaceId: 1, baseConcurrency: 5 })).toEqual({
    owner: '200',
    house: '200',
    boss: '200',
    reseller: outside,
    rival: outside,
    stranger: below,
    admin: below,
    editor: below,
    viewer: below,
  })
})

test('what is purchased stays within its limit, whichever of both is changed', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('boss')
  const change = (body: object) => send('PATCH /api/concurrency', { workspaceId: 1, ...body })
  const changed = await change({ base_concurrency: 5, purchasedConcurrency: 50, concurrencyPurchaseLimit: 60 })
  const limits = { maxConcurrent: 55, currentUsage: 0, purchasedConcurrency: 50, concurrencyPurchaseLimit: 60 }
  expect(changed).toMatchObject({ status: 200, body: limits })
  expect((await change({})).body).toEqual(limits)
  expect((await change({ purchasedConcurrency: 61 })).body.details).toMatchObject([{ path: 'purchasedConcurrency' }])
  expect((await change({ concurrencyPurchaseLimit: 49 })).body.details).toMatchObject([
    { path: 'concurrencyPurchaseLimit' },
  ])
  for (const value of [-1, 10_001, 1.5, '5']) expect((await change({ baseConcurrency: value })).status).toBe(400)
  expect((await send('GET /api/concurrency?workspaceId=1')).body).toEqual(limits)
  expect((await change({ baseConcurrency: null, purchasedConcurrency: null })).body).toMatchObject({
    maxConcurrent: 20,
  })
  expect((await change({ baseConcurrency: 0 })).body.maxConcurrent).toBe(0)
  expect((await send('GET /api/concurrency?workspaceId=2')).body.maxConcurrent).toBe(20)
})
