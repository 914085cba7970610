import type { Reader, Transaction } from '../../kernel/database.ts'
import type { EngineSource } from '../../kernel/engine-source.ts'
import { createEngineSource } from '../../kernel/stored-engine-source.ts'
import type { VersionTarget } from '../../kernel/version-store.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'
import { type ComponentGraphs, currentComponents, recordComponents, recordedComponents } from './version-components.ts'

/** How other features read and freeze conversation flows. */
export interface FlowSource extends EngineSource<FlowDefinition> {
  /**
   * The shared components that a version runs, those within others included, by id: as they were when it was frozen, of a draft
   * as they are now. One that does not exist is missing.
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
      const components = await currentComponents(transaction, draft.workspaceId, draft.definition)
      await recordComponents(transaction, target, components)
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
      return isFrozen ? recordedComponents(reader, flow) : currentComponents(reader, workspaceId, flow.definition)
    },
  }
}

/** The version while it is not frozen. */
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
