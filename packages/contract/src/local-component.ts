import { z } from 'zod'
import { id } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode } from './flow-node.ts'
import { FlowNoteList } from './flow-note.ts'
import { flexMode } from './flow-switches.ts'
import { FlowToolList } from './flow-tool.ts'
import { McpServerList } from './mcp-server.ts'
import { defineDescribedObject } from './named-object.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates, toFields } from './unique-items.ts'

/**
 * Local components: parts of one flow that the flow can run as a single node any number of times. Omitted fields stay absent.
 */

export const LocalFlowComponent = defineDescribedObject(
  'LocalFlowComponent',
  'Part of a flow that nodes of type `component` run.',
  {
    component_id: id().optional().describe('ID by which nodes refer to this item. Defaults to the name.'),
    name: z.string().min(1).max(200).describe('Display name, unique within the list.'),
    start_node_id: FlowPartId.optional().describe('ID of the first node. Defaults to the first node of the list.'),
    nodes: z
      .array(FlowNode)
      .min(1)
      .max(FLOW_NODE_LIMIT)
      .describe('Nodes of the graph. An edge without a destination leaves the component.'),
    tools: FlowToolList.default(() => []).describe('Tools that nodes refer to by `tool_id` or name.'),
    mcps: McpServerList.default(() => []).describe('MCP servers that nodes and tools refer to by `mcp_id` or name.'),
    notes: FlowNoteList.optional().describe('Notes for editors of the graph.'),
    flex_mode: flexMode,
  },
)
export type LocalFlowComponent = z.output<typeof LocalFlowComponent>

/** Returns the ID by which nodes refer to a local component. */
export function getLocalComponentId(component: Pick<LocalFlowComponent, 'component_id' | 'name'>): string {
  return component.component_id ?? component.name
}

/** Returns the ID of a local component's first node. */
export function getLocalComponentStart({ start_node_id, nodes }: Pick<LocalFlowComponent, 'start_node_id' | 'nodes'>) {
  return start_node_id ?? nodes[0]?.id ?? ''
}

/**
 * Form of shared component IDs. Local IDs cannot have this form, so that nodes without `component_type` refer to only one
 * component.
 */
const SHARED_ID = /^flow_component_[0-9a-f]{26}$/

/** Local components of a flow. Their IDs, or names if there is no ID, are unique. */
export const LocalFlowComponentList = z
  .array(LocalFlowComponent)
  .max(50)
  .superRefine((components, context) => {
    rejectDuplicates('component_id', 'name')(components, context)
    rejectSharedIds(components, context)
  }, DESPITE_OTHER_ISSUES)

function rejectSharedIds(components: readonly unknown[], context: z.core.$RefinementCtx): void {
  components.forEach((component, index) => {
    const { component_id, name } = toFields(component)
    const id = component_id ?? name
    if (typeof id !== 'string' || !SHARED_ID.test(id)) return
    const path = [index, component_id === undefined ? 'name' : 'component_id']
    context.addIssue({ code: 'custom', path, message: 'must not have the form of a shared component ID' })
  })
}
