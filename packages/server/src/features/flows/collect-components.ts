import { outlineComponent } from '@parley/contract/flow-problems/component-outline'
import type { ComponentOutlines } from '@parley/contract/flow-problems/dialog-graph'
import { sharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Reader } from '../../kernel/storage/database.ts'
import { type ComponentDefinition, readComponent } from './component-definition.ts'

/** Graphs are large: no more rows than this are in memory at once. */
const BATCH_SIZE = 20
/** Most that one flow runs, those within others included: all of it is in memory while conversations use it. */
export const MAX_COMPONENTS = 200
const MAX_COMPONENT_CHARACTERS = 16_000_000

/** What was found on the way through components. */
export interface CollectedComponents<Extracted> {
  /** By id, in order of appearance. Those that do not exist in the workspace are missing. */
  readonly collected: ReadonlyMap<string, Extracted>
  /** There were more than one flow may run. */
  readonly isTruncated: boolean
}

/** Where the way begins. */
export interface ComponentRoots {
  readonly workspaceId: number
  readonly ids: readonly string[]
}

/** Goes through shared components and those within them, each once, and keeps of each what `keep` takes. */
export async function collectComponents<Extracted>(
  reader: Reader,
  { workspaceId, ids }: ComponentRoots,
  extract: (definition: ComponentDefinition) => Extracted,
): Promise<CollectedComponents<Extracted>> {
  const collected = new Map<string, Extracted>()
  const known = new Set(ids)
  const queue = [...known]
  let characters = 0
  while (queue.length > 0) {
    const part = queue.splice(0, BATCH_SIZE)
    const rows = await reader
      .selectFrom('flow_components')
      .select(['flow_component_id', 'definition'])
      .where('workspace_id', '=', workspaceId)
      .where('flow_component_id', 'in', part)
      .execute()
    const texts = new Map(rows.map((row) => [row.flow_component_id, row.definition]))
    for (const id of part) {
      const text = texts.get(id)
      if (text === undefined) continue
      characters += text.length
      if (collected.size === MAX_COMPONENTS || characters > MAX_COMPONENT_CHARACTERS)
        return { collected, isTruncated: true }
      const definition = readComponent(text)
      collected.set(id, extract(definition))
      for (const next of sharedComponentIds(definition)) {
        if (known.has(next)) continue
        known.add(next)
        queue.push(next)
      }
    }
  }
  return { collected, isTruncated: false }
}

/** What graphs need to know of the components that they run. */
export async function outlineComponents(
  reader: Reader,
  from: ComponentRoots,
): Promise<{ readonly shared: ComponentOutlines; readonly isTruncated: boolean }> {
  const { collected, isTruncated } = await collectComponents(reader, from, outlineComponent)
  return { shared: collected, isTruncated }
}
