import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { selectLatestVersions } from '../../kernel/versions/version-store.ts'
import type { FlowComponentRow } from '../../tables/resource-tables.ts'
import { type ComponentDefinition, parseComponentDefinition, type StoredComponent } from './component-definition.ts'

/** Returns the component, or `null` if it does not exist in the workspace. */
export async function findComponent(reader: Reader, workspaceId: number, id: string): Promise<StoredComponent | null> {
  const row = await reader
    .selectFrom('flow_components')
    .selectAll()
    .where('flow_component_id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row === undefined ? null : toComponent(row)
}

/** Lists the workspace's components, newest first. */
export async function listComponents(
  reader: Reader,
  workspaceId: number,
  page: PageRequest,
): Promise<Page<StoredComponent>> {
  const query = reader.selectFrom('flow_components').selectAll().where('workspace_id', '=', workspaceId)
  return await readNewest(query, page, ['created_at', 'flow_component_id'], toComponent)
}

export async function insertComponent(transaction: Transaction, component: StoredComponent): Promise<void> {
  await transaction
    .insertInto('flow_components')
    .values({
      flow_component_id: component.id,
      workspace_id: component.workspaceId,
      definition: JSON.stringify(component.definition),
      edit_count: component.editCount,
      created_at: component.createdAt,
      updated_at: component.updatedAt,
    })
    .execute()
}

/** Replaces a component's definition and counts the edit. */
export async function saveComponentDefinition(
  transaction: Transaction,
  { id, definition, now }: { readonly id: string; readonly definition: ComponentDefinition; readonly now: number },
): Promise<void> {
  await transaction
    .updateTable('flow_components')
    .set((build) => ({
      definition: JSON.stringify(definition),
      edit_count: build('edit_count', '+', 1),
      updated_at: now,
    }))
    .where('flow_component_id', '=', id)
    .execute()
}

export async function removeComponent(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom('flow_components').where('flow_component_id', '=', id).execute()
}

/** Returns the ids of flows in the workspace whose newest version contains the text. */
export async function findMentioningFlows(reader: Reader, workspaceId: number, text: string): Promise<string[]> {
  const flows = await selectLatestVersions(reader, ['conversation-flow'], workspaceId)
    .select('resources.resource_id')
    .where('resource_versions.definition', 'like', `%${text}%`)
    .orderBy('resources.created_at')
    .orderBy('resources.resource_id')
    .execute()
  return flows.map((row) => row.resource_id)
}

/** Returns the ids of components in the workspace that contain the text. */
export async function findMentioningComponents(reader: Reader, workspaceId: number, text: string): Promise<string[]> {
  const components = await reader
    .selectFrom('flow_components')
    .select('flow_component_id')
    .where('workspace_id', '=', workspaceId)
    .where('definition', 'like', `%${text}%`)
    .orderBy('created_at')
    .orderBy('flow_component_id')
    .execute()
  return components.map((row) => row.flow_component_id)
}

function toComponent(row: FlowComponentRow): StoredComponent {
  return {
    id: row.flow_component_id,
    workspaceId: row.workspace_id,
    definition: parseComponentDefinition(row.definition),
    editCount: row.edit_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
