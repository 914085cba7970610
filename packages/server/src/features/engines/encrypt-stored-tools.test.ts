import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { encryptStoredTools } from './encrypt-stored-tools.ts'
import { createToolVault } from './tool-vault.ts'

test('seals plain secrets of earlier versions once, including frozen versions and components', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const vault = createToolVault(createSecrets('the key of this test'))
  const plain = (number: number) => ({ tools: [{ name: 't', headers: { 'X-Key': `plain-${number}` } }], extra: number })
  const times = { created_at: 1, updated_at: 1 }
  const IDS = Array.from({ length: 30 }, (_one, index) => `conversation_flow_${String(index).padStart(3, '0')}`)
  const NO_ENGINE = { engine_id: null, engine_version: null, engine_pinned: 0 as const }
  const NO_VERSION_LABELS = { published_at: null, version_title: null, version_description: null }
  const workspaceOf = (index: number): number => 1 + (index % 2)
  await database.transaction(async (transaction) => {
    const resources = IDS.map((resource_id, index) => {
      const row = { resource_id, kind: 'conversation-flow', workspace_id: workspaceOf(index), ...times }
      return { ...row, newest_version: 2, active_version: null, edit_count: 5 }
    })
    await transaction.insertInto('resources').values(resources).execute()
    const versions = IDS.flatMap((resource_id) =>
      [1, 2].map((version) => {
        const definition = JSON.stringify(plain(version))
        const row = { resource_id, version, definition, frozen_at: version === 1 ? 1 : null }
        return { ...row, ...NO_ENGINE, ...NO_VERSION_LABELS, ...times }
      }),
    )
    await transaction.insertInto('resource_versions').values(versions).execute()
    const used = IDS.map((resource_id, index) => {
      return {
        resource_id,
        version: 1,
        flow_component_id: 'flow_component_a',
        definition: JSON.stringify(plain(index)),
      }
    })
    await transaction.insertInto('flow_version_components').values(used).execute()
    const components = IDS.map((_id, index) => {
      const row = { flow_component_id: `flow_component_${index}`, workspace_id: workspaceOf(index), edit_count: 1 }
      return { ...row, definition: JSON.stringify(plain(index)), ...times }
    })
    await transaction.insertInto('flow_components').values(components).execute()
  })
  const stored = async (): Promise<string[]> => {
    const tables = ['resource_versions', 'flow_components', 'flow_version_components'] as const
    const rows = await Promise.all(
      tables.map((table) => database.read.selectFrom(table).select('definition').execute()),
    )
    return rows
      .flat()
      .map(({ definition }) => definition)
      .sort()
  }
  await encryptStoredTools({ database, vault })
  const sealed = await stored()
  expect(sealed).toHaveLength(120)
  expect(sealed.filter((definition) => definition.includes('plain-'))).toEqual([])
  const row = await database.read
    .selectFrom('resource_versions')
    .selectAll()
    .where('version', '=', 2)
    .orderBy('resource_id')
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ updated_at: 1, frozen_at: null })
  expect(vault.decrypt(JSON.parse(row.definition) as object, 1)).toEqual(plain(2))
  await database.transaction((transaction) => transaction.deleteFrom('installation').execute())
  await encryptStoredTools({ database, vault })
  expect(await stored()).toEqual(sealed)
  const refuse = () => expect.unreachable('everything is sealed already')
  await encryptStoredTools({ database, vault: { encrypt: refuse } })
})
