import type {
  CreateFlowComponentBody,
  FlowComponent,
  FlowComponentItem,
  UpdateFlowComponentBody,
} from '@parley/contract/flow-component'
import type { FlowNode } from '@parley/contract/flow-node'
import { editFields, pickFields } from '../../kernel/api/edits.ts'
import { hideSecrets } from '../engines/public.ts'
import { getFirstNodeId, resolveStartNodeId } from './flow-definition.ts'

const FIELDS = ['name', 'start_node_id', 'nodes', 'tools', 'mcps', 'notes'] as const

/** A shared component's stored fields, without the id and times. */
export type ComponentDefinition = Pick<FlowComponent, (typeof FIELDS)[number]>

/** The part of a component that conversations run. */
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
/** A stored component. Older rows lack MCP servers and notes. */
type StoredDefinition = Omit<ComponentDefinition, LaterFields> & Partial<Pick<ComponentDefinition, LaterFields>>

export function parseComponentDefinition(text: string): ComponentDefinition {
  return { mcps: [], notes: [], ...(JSON.parse(text) as StoredDefinition) }
}

export function defineComponent(body: CreateFlowComponentBody, nodes: FlowNode[]): ComponentDefinition {
  return pickFields(FIELDS, { ...body, start_node_id: body.start_node_id ?? getFirstNodeId(nodes), nodes })
}

/** Applies a PATCH body. Absent fields keep their values, and `nodes` are already merged. */
export function editComponent(
  current: ComponentDefinition,
  body: UpdateFlowComponentBody,
  nodes: FlowNode[],
): ComponentDefinition {
  const start_node_id = resolveStartNodeId(current.start_node_id, body.start_node_id, nodes)
  return editFields(FIELDS, current, { ...body, start_node_id, nodes })
}

export function toComponentGraph({ start_node_id, nodes, tools, mcps }: ComponentDefinition): ComponentGraph {
  return { start_node_id, nodes, tools, mcps }
}

export function toComponentItem(component: StoredComponent): FlowComponentItem {
  const { id, workspaceId, definition, createdAt, updatedAt } = component
  return {
    flow_component_id: id,
    workspaceId,
    name: definition.name,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}

export function toFlowComponent(component: StoredComponent): FlowComponent {
  return { ...toComponentItem(component), ...pickFields(FIELDS, hideSecrets(component.definition)) }
}
