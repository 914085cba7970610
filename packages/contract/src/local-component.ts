import { z } from 'zod'
import { id } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode } from './flow-node.ts'
import { FlowNoteList } from './flow-note.ts'
import { flexMode } from './flow-switches.ts'
import { FlowToolList } from './flow-tool.ts'
import { McpServerList } from './mcp-server.ts'

/** Local components: parts of one flow that it runs as one node, as often as it likes. A key that was not given stays absent. */

export const LocalFlowComponent = z
  .object({
    component_id: id().optional().meta({ description: 'How nodes name the component; its name when absent.' }),
    name: z.string().min(1).max(200).meta({ description: 'Name to know it by; unique within the list.' }),
    start_node_id: FlowPartId.optional().meta({ description: 'Id of the node to begin at; the first when absent.' }),
    nodes: z.array(FlowNode).min(1).max(FLOW_NODE_LIMIT).meta({
      description: 'The nodes of the graph. An edge without a destination leaves the component.',
    }),
    tools: FlowToolList.default(() => []).meta({ description: 'Tools that its nodes name by `tool_id` or name.' }),
    mcps: McpServerList.default(() => []).meta({ description: 'MCP servers that its nodes and tools name.' }),
    notes: FlowNoteList.optional().meta({ description: 'Notes beside the graph.' }),
    flex_mode: flexMode,
  })
  .meta({ id: 'LocalFlowComponent', description: 'A part of this flow that nodes of type `component` run.' })
export type LocalFlowComponent = z.output<typeof LocalFlowComponent>

/** By what nodes refer to a local component. */
export function localComponentId(component: Pick<LocalFlowComponent, 'component_id' | 'name'>): string {
  return component.component_id ?? component.name
}

/** Where a local component begins. */
export function localComponentStart({ start_node_id, nodes }: Pick<LocalFlowComponent, 'start_node_id' | 'nodes'>) {
  return start_node_id ?? nodes[0]?.id ?? ''
}

/** The local components of one flow, each name and id once, none with the id of a shared one. */
export const LocalFlowComponentList = z
  .array(LocalFlowComponent)
  .max(50)
  .superRefine(rejectUnusableIds, {
    // Also when other elements are wrong, so that all problems are told at once.
    when: ({ value }) => Array.isArray(value),
  })

/** Nodes that say no `component_type` have to mean one component only. */
const SHARED_ID = /^flow_component_[0-9a-f]{26}$/

function rejectUnusableIds(components: readonly unknown[], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>()
  components.forEach((component, index) => {
    const { component_id, name } = (typeof component === 'object' ? (component ?? {}) : {}) as Record<string, unknown>
    const given = component_id ?? name
    if (typeof given !== 'string') return
    const path = [index, component_id === undefined ? 'name' : 'component_id']
    if (seen.has(given)) {
      context.addIssue({ code: 'custom', path, message: `must be unique: "${given}" is already used` })
    }
    if (SHARED_ID.test(given)) {
      context.addIssue({ code: 'custom', path, message: 'must not have the form of the id of a shared component' })
    }
    seen.add(given)
  })
}
