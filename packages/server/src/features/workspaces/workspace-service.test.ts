import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createWorkspaceService } from './workspace-service.ts'

const toAccess = (...ids: number[]) =>
  new Map(ids.map((id) => [id, { level: 'viewer' as const, accountSid: 'uuid-1' }]))

test('the first workspace creates its tenant, and later workspaces join the tenant', async () => {
  await using database = await temporaryDatabase()
  let uuidCount = 0
  const workspaceIdsWithSecret: number[] = []
  const workspaces = createWorkspaceService({
    database,
    clock: createManualClock().clock,
    makeUuid: () => `uuid-${++uuidCount}`,
    signingSecrets: {
      createInitial: async (_transaction, workspaceId) => void workspaceIdsWithSecret.push(workspaceId),
    },
  })
  for (const name of ['First', 'Second', 'Third']) {
    await database.transaction((transaction) => workspaces.createWorkspace(transaction, name))
  }
  const tenantFields = { accountSid: 'uuid-1', accountPath: '/default/main', nativeTransferEnabled: false }
  expect(await workspaces.listWorkspaces({ workspaces: toAccess(3, 1, 99) })).toEqual([
    { id: 1, name: 'First', ...tenantFields },
    { id: 3, name: 'Third', ...tenantFields },
  ])
  expect(await workspaces.listWorkspaces({ workspaces: toAccess() })).toEqual([])
  expect(workspaceIdsWithSecret).toEqual([1, 2, 3])
})

test('stores nothing if the signing secret cannot be created', async () => {
  await using database = await temporaryDatabase()
  const workspaces = createWorkspaceService({
    database,
    clock: createManualClock().clock,
    makeUuid: () => 'uuid-1',
    signingSecrets: { createInitial: () => Promise.reject(new Error('no randomness')) },
  })
  const creation = database.transaction((transaction) => workspaces.createWorkspace(transaction, 'First'))
  await expect(creation).rejects.toThrow('no randomness')
  expect(await workspaces.listWorkspaces({ workspaces: toAccess(1) })).toEqual([])
  expect(await database.read.selectFrom('tenants').selectAll().execute()).toEqual([])
})
