import { listSharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { VersionTarget } from '../../kernel/versions/version-store.ts'
import { createEngineSource, type EngineSource } from '../engines/public.ts'
import { collectComponents } from './collect-components.ts'
import { type ComponentGraph, parseComponentDefinition, toComponentGraph } from './component-definition.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'

/** Reads and freezes conversation flows for other features. */
export interface FlowSource extends EngineSource<FlowDefinition> {
  /**
   * Returns a version's shared components by id, including nested components. Frozen versions use frozen components, and drafts
   * use current components. Omits missing components.
   */
  findComponents(
    reader: Reader,
    workspaceId: number,
    flow: { readonly id: string; readonly version: number; readonly definition: FlowDefinition },
  ): Promise<ComponentGraphs>
}

export function createFlowSource(): FlowSource {
  const source = createEngineSource<FlowDefinition>('conversation-flow', completeFlow)
  return {
    find: source.find,

    async freeze(transaction, target) {
      const draft = await findDraft(transaction, target)
      if (draft === null) return
      const components = await readCurrentComponents(transaction, draft.workspaceId, draft.definition)
      await storeFrozenComponents(transaction, target, components)
      await source.freeze(transaction, target)
    },

    async findComponents(reader, workspaceId, flow) {
      const row = await reader
        .selectFrom('resource_versions')
        .select('frozen_at')
        .where('resource_id', '=', flow.id)
        .where('version', '=', flow.version)
        .executeTakeFirst()
      const isFrozen = row !== undefined && row.frozen_at !== null
      return isFrozen ? readFrozenComponents(reader, flow) : readCurrentComponents(reader, workspaceId, flow.definition)
    },
  }
}

/** Finds the version. Returns null if it is frozen. */
async function findDraft(
  transaction: Transaction,
  { id, version }: VersionTarget,
): Promise<{ readonly workspaceId: number; readonly definition: FlowDefinition } | null> {
  const row = await transaction
    .selectFrom('resource_versions')
    .innerJoin('resources', 'resources.resource_id', 'resource_versions.resource_id')
    .select(['resources.workspace_id', 'resource_versions.definition'])
    .where('resource_versions.resource_id', '=', id)
    .where('resource_versions.version', '=', version)
    .where('resource_versions.frozen_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  return { workspaceId: row.workspace_id, definition: completeFlow(JSON.parse(row.definition) as FlowDefinition) }
}

/** A flow version. Freezing it also stores its shared components, so that conversations with this version never change. */
interface FlowVersion {
  readonly id: string
  readonly version: number
}

/** A flow's shared components by id, including nested components. */
type ComponentGraphs = ReadonlyMap<string, ComponentGraph>

async function readCurrentComponents(
  reader: Reader,
  workspaceId: number,
  definition: Pick<FlowDefinition, 'nodes' | 'components'>,
): Promise<ComponentGraphs> {
  const roots = { workspaceId, ids: listSharedComponentIds(definition) }
  return (await collectComponents(reader, roots, toComponentGraph)).collected
}

/** Stores the components with the version that is being frozen. */
async function storeFrozenComponents(
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

/** Returns the components stored with a frozen version. */
async function readFrozenComponents(reader: Reader, { id, version }: FlowVersion): Promise<ComponentGraphs> {
  const rows = await reader
    .selectFrom('flow_version_components')
    .select(['flow_component_id', 'definition'])
    .where('resource_id', '=', id)
    .where('version', '=', version)
    .orderBy('flow_component_id')
    .execute()
  return new Map(rows.map((row) => [row.flow_component_id, toComponentGraph(parseComponentDefinition(row.definition))]))
}
