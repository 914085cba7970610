import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { createWorkspaceSecretService } from './workspace-secret-service.ts'

test('encrypts values per workspace and allows at most 100 secrets per workspace', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const secrets = createSecrets('the key of this test')
  let now = 0
  const service = createWorkspaceSecretService({ database, secrets, clock: { now: () => (now += 1) } })
  const names = Array.from({ length: 100 }, (_item, index) => `secret_${String(index).padStart(3, '0')}`)
  for (const name of names.slice(0, 2)) await service.put(1, { name, value: `value of ${name}` })
  const times = { created_at: 1, updated_at: 1 }
  const otherRows = names.slice(2).map((name) => ({ workspace_id: 1, name, ciphertext: 'sealed', ...times }))
  await database.transaction((transaction) => transaction.insertInto('workspace_secrets').values(otherRows).execute())
  const rows = await database.read.selectFrom('workspace_secrets').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('value of')
  expect((await service.list(1)).map(({ name }) => name)).toEqual(names)
  await expect(service.put(1, { name: 'one_more', value: 'x' })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await service.put(1, { name: 'secret_000', value: 'new' })).toEqual({
    name: 'secret_000',
    createdAt: '1970-01-01T00:00:00.001Z',
    updatedAt: new Date(4).toISOString(),
  })
  expect(await service.createReader(1).read(['secret_000', 'gone'])).toEqual(new Map([['secret_000', 'new']]))
  expect(await service.createReader(2).read(['secret_000'])).toEqual(new Map())
  await expect(service.remove(2, 'secret_000')).rejects.toMatchObject({ code: 'not_found' })
  // A renamed row cannot be decrypted.
  await database.transaction((transaction) =>
    transaction.updateTable('workspace_secrets').set({ name: 'moved' }).where('name', '=', 'secret_001').execute(),
  )
  await expect(service.createReader(1).read(['moved'])).rejects.toThrow('damaged')
})
