import { z } from 'zod'
import { id } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode } from './flow-node.ts'
import { FlowNoteList } from './flow-note.ts'
import { flexMode } from './flow-switches.ts'
import { FlowToolList } from './flow-tool.ts'
import { McpServerList } from './mcp-server.ts'
import { describedObject } from './named-object.ts'
import { DESPITE_OTHER_ISSUES, fieldsOf, rejectDuplicates } from './unique-items.ts'

/**
 * Local components: parts of one flow that it can run as a single node any number of times. Fields that were not
 * given stay absent.
 */

export const LocalFlowComponent = describedObject(
  'LocalFlowComponent',
  'Part of a flow that nodes of type `component` run.',
  {
    component_id: id().optional().describe('ID for references in nodes. Defaults to the name.'),
    name: z.string().min(1).max(200).describe('Display name, unique within the list.'),
    start_node_id: FlowPartId.optional().describe('ID of the first node. Defaults to the first node of the list.'),
    nodes: z
      .array(FlowNode)
      .min(1)
      .max(FLOW_NODE_LIMIT)
      .describe('Nodes of the graph. An edge without a destination leaves the component.'),
    tools: FlowToolList.default(() => []).describe('Tools, which nodes refer to by `tool_id` or name.'),
    mcps: McpServerList.default(() => []).describe('MCP servers, which nodes and tools refer to by `mcp_id` or name.'),
    notes: FlowNoteList.optional().describe('Notes for editors of the graph.'),
    flex_mode: flexMode,
  },
)
export type LocalFlowComponent = z.output<typeof LocalFlowComponent>

/** ID by which nodes refer to a local component. */
export function localComponentId(component: Pick<LocalFlowComponent, 'component_id' | 'name'>): string {
  return component.component_id ?? component.name
}

/** First node of a local component. */
export function localComponentStart({ start_node_id, nodes }: Pick<LocalFlowComponent, 'start_node_id' | 'nodes'>) {
  return start_node_id ?? nodes[0]?.id ?? ''
}

/** Keeps IDs apart: nodes without `component_type` must refer to one component only. */
const SHARED_ID = /^flow_component_[0-9a-f]{26}$/

/** The local components of one flow, each with its own ID, or name without one. */
export const LocalFlowComponentList = z
  .array(LocalFlowComponent)
  .max(50)
  .superRefine((components, context) => {
    rejectDuplicates('component_id', 'name')(components, context)
    rejectSharedIds(components, context)
  }, DESPITE_OTHER_ISSUES)

function rejectSharedIds(components: readonly unknown[], context: z.core.$RefinementCtx): void {
  components.forEach((component, index) => {
    const { component_id, name } = fieldsOf(component)
    const id = component_id ?? name
    if (typeof id !== 'string' || !SHARED_ID.test(id)) return
    const path = [index, component_id === undefined ? 'name' : 'component_id']
    context.addIssue({ code: 'custom', path, message: 'must not have the form of a shared component ID' })
  })
}
