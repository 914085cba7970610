import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { addFlowVersionComponents } from './0013-flow-components-of-versions.ts'

const runs = (component_id: string, fields: object = {}) => ({
  id: component_id,
  type: 'component',
  component_id,
  ...fields,
})

test('frozen versions record their current components', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const times = { created_at: 0, updated_at: 0 }
  await database.transaction(async (transaction) => {
    const addFlow = async (resource_id: string, nodes: readonly object[], frozen_at: number | null) => {
      const resource = { resource_id, kind: 'conversation-flow', workspace_id: 1, newest_version: 1, edit_count: 1 }
      await transaction
        .insertInto('resources')
        .values({ ...resource, active_version: null, ...times })
        .execute()
      const engine = { engine_id: null, engine_version: null, engine_pinned: 0 as const }
      const notes = { published_at: null, version_title: null, version_description: null }
      await transaction
        .insertInto('resource_versions')
        .values({
          resource_id,
          version: 1,
          definition: JSON.stringify({ nodes }),
          frozen_at,
          ...engine,
          ...notes,
          ...times,
        })
        .execute()
    }
    const addComponent = async (flow_component_id: string, workspace_id: number, nodes: readonly object[]) => {
      const definition = JSON.stringify({ name: flow_component_id, nodes })
      await transaction
        .insertInto('flow_components')
        .values({ flow_component_id, workspace_id, definition, edit_count: 1, ...times })
        .execute()
    }
    await addComponent('outer', 1, [runs('inner'), runs('outer')])
    await addComponent('inner', 1, [{ id: 'a', type: 'end' }])
    await addComponent('unused', 1, [])
    await addComponent('elsewhere', 2, [])
    await addFlow(
      'frozen',
      [runs('outer'), runs('gone'), runs('elsewhere'), runs('unused', { component_type: 'local' })],
      1,
    )
    await addFlow('draft', [runs('outer')], null)
    await addFlow('plain', [{ id: 'a', type: 'end' }], 1)
    await transaction.schema.dropTable('flow_version_components').execute()
    await addFlowVersionComponents(transaction as unknown as Kysely<unknown>)
  })
  const rows = await database.read
    .selectFrom('flow_version_components')
    .selectAll()
    .orderBy('flow_component_id')
    .execute()
  expect(rows.map(({ resource_id, version, flow_component_id }) => [resource_id, version, flow_component_id])).toEqual([
    ['frozen', 1, 'inner'],
    ['frozen', 1, 'outer'],
  ])
  expect(JSON.parse(rows[0]?.definition ?? '')).toEqual({ name: 'inner', nodes: [{ id: 'a', type: 'end' }] })
})
