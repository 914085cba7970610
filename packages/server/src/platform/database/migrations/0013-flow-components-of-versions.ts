import { type Kysely, sql } from 'kysely'
import { referenceTo, required } from './columns.ts'

/** Creates snapshots of the shared components used by frozen flow versions. */
export async function addFlowVersionComponents(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('flow_version_components')
    .addColumn('resource_id', 'text', referenceTo('resources.resource_id'))
    .addColumn('version', 'integer', required)
    .addColumn('flow_component_id', 'text', required)
    .addColumn('definition', 'text', required)
    .addPrimaryKeyConstraint('flow_version_components_key', ['resource_id', 'version', 'flow_component_id'])
    .execute()
  await recordFrozenVersions(database as Kysely<Rows>)
}

interface Rows {
  resources: { resource_id: string; kind: string; workspace_id: number }
  resource_versions: { resource_id: string; version: number; definition: string; frozen_at: number | null }
  flow_components: { flow_component_id: string; workspace_id: number; definition: string }
  flow_version_components: { resource_id: string; version: number; flow_component_id: string; definition: string }
}

/** Records the current components of frozen versions, because the past components are unknown. */
async function recordFrozenVersions(database: Kysely<Rows>): Promise<void> {
  const frozenVersions = await database
    .selectFrom('resource_versions')
    .innerJoin('resources', 'resources.resource_id', 'resource_versions.resource_id')
    .select(['resource_versions.resource_id', 'resource_versions.version', 'resources.workspace_id'])
    .where('resources.kind', '=', 'conversation-flow')
    .where('resource_versions.frozen_at', 'is not', null)
    .where(sql<boolean>`resource_versions.definition like '%"component_id"%'`)
    .execute()
  for (const { resource_id, version, workspace_id } of frozenVersions) {
    const { definition } = await database
      .selectFrom('resource_versions')
      .select('definition')
      .where('resource_id', '=', resource_id)
      .where('version', '=', version)
      .executeTakeFirstOrThrow()
    const ids = new Set(listComponentIds(definition))
    // The loop also visits ids that it adds.
    for (const flow_component_id of ids) {
      const component = await database
        .selectFrom('flow_components')
        .select('definition')
        .where('flow_component_id', '=', flow_component_id)
        .where('workspace_id', '=', workspace_id)
        .executeTakeFirst()
      if (component === undefined) continue
      for (const nestedId of listComponentIds(component.definition)) ids.add(nestedId)
      const row = { resource_id, version, flow_component_id, definition: component.definition }
      await database.insertInto('flow_version_components').values(row).execute()
    }
  }
}

/** Returns the ids of shared components and skips nodes of local ones. Only shared components existed before this version. */
function listComponentIds(definition: string): string[] {
  const { nodes } = JSON.parse(definition) as { nodes: readonly Readonly<Record<string, unknown>>[] }
  return nodes.flatMap(({ type, component_type, component_id }) => {
    return type === 'component' && component_type !== 'local' && typeof component_id === 'string' ? [component_id] : []
  })
}
