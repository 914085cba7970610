import type {
  CreateFlowComponentBody,
  FlowComponent,
  FlowComponentItem,
  UpdateFlowComponentBody,
} from '@parley/contract/flow-component'
import type { FlowNode } from '@parley/contract/flow-node'
import { hideSecrets } from '../engines/public.ts'
import { editStart, firstNode } from './flow-definition.ts'

/** What is stored of a shared component beside its id and times. */
export type ComponentDefinition = Pick<FlowComponent, 'name' | 'start_node_id' | 'nodes' | 'tools' | 'mcps' | 'notes'>

/** The part of it that conversations run. */
export type ComponentGraph = Pick<ComponentDefinition, 'start_node_id' | 'nodes' | 'tools' | 'mcps'>

export interface StoredComponent {
  readonly id: string
  readonly workspaceId: number
  readonly definition: ComponentDefinition
  readonly editCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

type LaterFields = 'mcps' | 'notes'
/** What was stored before there were servers and notes lacks them. */
type Stored = Omit<ComponentDefinition, LaterFields> & Partial<Pick<ComponentDefinition, LaterFields>>

export function readComponent(text: string): ComponentDefinition {
  return { mcps: [], notes: [], ...(JSON.parse(text) as Stored) }
}

export function defineComponent(body: CreateFlowComponentBody, nodes: FlowNode[]): ComponentDefinition {
  const { name, tools, mcps, notes } = body
  return { name, start_node_id: body.start_node_id ?? firstNode(nodes), nodes, tools, mcps, notes }
}

/** Applies a PATCH body: absent fields stay. `nodes` are the merged ones. */
export function editComponent(
  current: ComponentDefinition,
  body: UpdateFlowComponentBody,
  nodes: FlowNode[],
): ComponentDefinition {
  return {
    name: body.name ?? current.name,
    start_node_id: editStart(current.start_node_id, body.start_node_id, nodes),
    nodes,
    tools: body.tools ?? current.tools,
    mcps: body.mcps ?? current.mcps,
    notes: body.notes ?? current.notes,
  }
}

export function graphOf({ start_node_id, nodes, tools, mcps }: ComponentDefinition): ComponentGraph {
  return { start_node_id, nodes, tools, mcps }
}

export function toComponentItem(found: StoredComponent): FlowComponentItem {
  const { id, workspaceId, definition, createdAt, updatedAt } = found
  return {
    flow_component_id: id,
    workspaceId,
    name: definition.name,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}

export function toFlowComponent(found: StoredComponent): FlowComponent {
  const { flow_component_id, workspaceId, name, created_at, updated_at } = toComponentItem(found)
  const { start_node_id, nodes, tools, mcps, notes } = hideSecrets(found.definition)
  return { flow_component_id, workspaceId, name, start_node_id, nodes, tools, mcps, notes, created_at, updated_at }
}
