import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createWorkspaceService } from './workspace-service.ts'

const reached = (...ids: number[]) => new Map(ids.map((id) => [id, { level: 'viewer' as const, accountSid: 'uuid-1' }]))

test('the first workspace creates its tenant, and later ones join it', async () => {
  await using database = await temporaryDatabase()
  let uuids = 0
  const secretsOf: number[] = []
  const workspaces = createWorkspaceService({
    database,
    clock: createManualClock().clock,
    makeUuid: () => `uuid-${++uuids}`,
    signingSecrets: { createFor: async (_transaction, workspaceId) => void secretsOf.push(workspaceId) },
  })
  for (const name of ['First', 'Second', 'Third']) {
    await database.transaction((transaction) => workspaces.createWorkspace(transaction, name))
  }
  const place = { accountSid: 'uuid-1', accountPath: '/default/main', nativeTransferEnabled: false }
  expect(await workspaces.listWorkspaces({ workspaces: reached(3, 1, 99) })).toEqual([
    { id: 1, name: 'First', ...place },
    { id: 3, name: 'Third', ...place },
  ])
  expect(await workspaces.listWorkspaces({ workspaces: reached() })).toEqual([])
  expect(secretsOf).toEqual([1, 2, 3])
})

test('a failure leaves nothing behind', async () => {
  await using database = await temporaryDatabase()
  const workspaces = createWorkspaceService({
    database,
    clock: createManualClock().clock,
    makeUuid: () => 'uuid-1',
    signingSecrets: { createFor: () => Promise.reject(new Error('no randomness')) },
  })
  const created = database.transaction((transaction) => workspaces.createWorkspace(transaction, 'First'))
  await expect(created).rejects.toThrow('no randomness')
  expect(await workspaces.listWorkspaces({ workspaces: reached(1) })).toEqual([])
  expect(await database.read.selectFrom('tenants').selectAll().execute()).toEqual([])
})
