import type { Kysely } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates components: parts of dialog graphs that several flows share. Flows are resources, like agents. */
export async function addFlowComponents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('flow_components')
    .addColumn('flow_component_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('definition', 'text', required)
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('flow_components_of_workspace')
    .on('flow_components')
    .columns(['workspace_id', 'created_at desc', 'flow_component_id desc'])
    .execute()
}
