import { outlineComponent } from '@parley/contract/flow-problems/component-outline'
import type { ComponentOutlines } from '@parley/contract/flow-problems/dialog-graph'
import { listSharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Reader } from '../../kernel/storage/database.ts'
import { type ComponentDefinition, parseComponentDefinition } from './component-definition.ts'

/** Maximum number of graphs in memory at a time. */
const BATCH_SIZE = 20
/** Maximum number of components in a flow, including nested components. Conversations keep all of them in memory. */
export const MAX_COMPONENTS = 200
const MAX_COMPONENT_CHARACTERS = 16_000_000

interface CollectedComponents<Extracted> {
  /** Extracted values by component id, in order of appearance. Missing components are omitted. */
  readonly collected: ReadonlyMap<string, Extracted>
  /** Whether the flow uses more components than allowed. */
  readonly isTruncated: boolean
}

/** The components that a search starts with. */
interface ComponentRoots {
  readonly workspaceId: number
  readonly ids: readonly string[]
}

/** Visits shared components and their nested components once each and collects the results of `extract`. */
export async function collectComponents<Extracted>(
  reader: Reader,
  { workspaceId, ids }: ComponentRoots,
  extract: (definition: ComponentDefinition) => Extracted,
): Promise<CollectedComponents<Extracted>> {
  const collected = new Map<string, Extracted>()
  const seenIds = new Set(ids)
  const queue = [...seenIds]
  let characterCount = 0
  while (queue.length > 0) {
    const batchIds = queue.splice(0, BATCH_SIZE)
    const rows = await reader
      .selectFrom('flow_components')
      .select(['flow_component_id', 'definition'])
      .where('workspace_id', '=', workspaceId)
      .where('flow_component_id', 'in', batchIds)
      .execute()
    const definitionsById = new Map(rows.map((row) => [row.flow_component_id, row.definition]))
    for (const id of batchIds) {
      const definitionText = definitionsById.get(id)
      if (definitionText === undefined) continue
      characterCount += definitionText.length
      if (collected.size === MAX_COMPONENTS || characterCount > MAX_COMPONENT_CHARACTERS)
        return { collected, isTruncated: true }
      const definition = parseComponentDefinition(definitionText)
      collected.set(id, extract(definition))
      for (const nestedId of listSharedComponentIds(definition)) {
        if (seenIds.has(nestedId)) continue
        seenIds.add(nestedId)
        queue.push(nestedId)
      }
    }
  }
  return { collected, isTruncated: false }
}

/** Returns the outlines of components and their nested components. */
export async function loadComponentOutlines(
  reader: Reader,
  roots: ComponentRoots,
): Promise<{ readonly shared: ComponentOutlines; readonly isTruncated: boolean }> {
  const { collected, isTruncated } = await collectComponents(reader, roots, outlineComponent)
  return { shared: collected, isTruncated }
}
