import { sharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Reader, Transaction } from '../../kernel/database.ts'
import { type ComponentGraph, graphOf, readComponent } from './component-definition.ts'
import type { FlowDefinition } from './flow-definition.ts'
import { reachComponents } from './reach-components.ts'

/**
 * The shared components of frozen flow versions, as they were when the version was frozen: what a conversation is on never
 * changes, whatever becomes of the component.
 */

/** One version of a flow. */
export interface FlowVersion {
  readonly id: string
  readonly version: number
}

/** The shared components that a flow runs, those within others included, by id. */
export type ComponentGraphs = ReadonlyMap<string, ComponentGraph>

/** As they are now. */
export async function currentComponents(
  reader: Reader,
  workspaceId: number,
  definition: Pick<FlowDefinition, 'nodes' | 'components'>,
): Promise<ComponentGraphs> {
  const from = { workspaceId, ids: sharedComponentIds(definition) }
  return (await reachComponents(reader, from, graphOf)).reached
}

/** Records them with the version that is being frozen. */
export async function recordComponents(
  transaction: Transaction,
  { id, version }: FlowVersion,
  components: ComponentGraphs,
): Promise<void> {
  for (const [componentId, graph] of components) {
    await transaction
      .insertInto('flow_version_components')
      .values({ resource_id: id, version, flow_component_id: componentId, definition: JSON.stringify(graph) })
      .execute()
  }
}

/** What was recorded with a frozen version. */
export async function recordedComponents(reader: Reader, { id, version }: FlowVersion): Promise<ComponentGraphs> {
  const rows = await reader
    .selectFrom('flow_version_components')
    .select(['flow_component_id', 'definition'])
    .where('resource_id', '=', id)
    .where('version', '=', version)
    .orderBy('flow_component_id')
    .execute()
  return new Map(rows.map((row) => [row.flow_component_id, graphOf(readComponent(row.definition))]))
}
