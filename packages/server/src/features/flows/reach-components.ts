import { outlineComponent } from '@parley/contract/flow-problems/component-outline'
import type { ComponentOutlines } from '@parley/contract/flow-problems/dialog-graph'
import { sharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Reader } from '../../kernel/storage/database.ts'
import { type ComponentDefinition, readComponent } from './component-definition.ts'

/** Graphs are large: no more rows than this are in memory at once. */
const PART_SIZE = 20
/** Most that one flow runs, those within others included: all of it is in memory while conversations use it. */
export const MOST_COMPONENTS = 200
const MOST_COMPONENT_CHARACTERS = 16_000_000

/** What was found on the way through components. */
export interface Reach<Kept> {
  /** By id, in order of appearance. Those that do not exist in the workspace are missing. */
  readonly reached: ReadonlyMap<string, Kept>
  /** There were more than one flow may run. */
  readonly isCut: boolean
}

/** Where the way begins. */
export interface ReachFrom {
  readonly workspaceId: number
  readonly ids: readonly string[]
}

/** Goes through shared components and those within them, each once, and keeps of each what `keep` takes. */
export async function reachComponents<Kept>(
  reader: Reader,
  { workspaceId, ids }: ReachFrom,
  keep: (definition: ComponentDefinition) => Kept,
): Promise<Reach<Kept>> {
  const reached = new Map<string, Kept>()
  const known = new Set(ids)
  const waiting = [...known]
  let characters = 0
  while (waiting.length > 0) {
    const part = waiting.splice(0, PART_SIZE)
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
      if (reached.size === MOST_COMPONENTS || characters > MOST_COMPONENT_CHARACTERS) return { reached, isCut: true }
      const definition = readComponent(text)
      reached.set(id, keep(definition))
      for (const next of sharedComponentIds(definition)) {
        if (known.has(next)) continue
        known.add(next)
        waiting.push(next)
      }
    }
  }
  return { reached, isCut: false }
}

/** What graphs need to know of the components that they run. */
export async function outlineComponents(
  reader: Reader,
  from: ReachFrom,
): Promise<{ readonly shared: ComponentOutlines; readonly isCut: boolean }> {
  const { reached, isCut } = await reachComponents(reader, from, outlineComponent)
  return { shared: reached, isCut }
}
