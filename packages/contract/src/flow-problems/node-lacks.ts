import type { FlowNode } from '../flow-node.ts'
import { type FlowTool, flowToolId } from '../flow-tool.ts'
import { mcpServerId } from '../mcp-server.ts'
import { componentNamedBy, type DialogGraph, type KnownComponents } from './dialog-graph.ts'

/** What a node, or a tool of it, has not got to do its work. */

/** Something that is missing: `path` is within the node, `what` continues `Node "a" …`. */
export interface Lack {
  readonly path: string
  readonly what: string
}

/** What a graph can refer to beside its own tools and servers. */
export interface Surroundings {
  readonly localIds: ReadonlySet<string>
  /** `null` when nobody knows which shared components exist. */
  readonly shared: KnownComponents | null
}

/** What the type of the node needs and the node or its graph lacks. */
export function lacksOf(node: FlowNode, graph: DialogGraph, surroundings: Surroundings): Lack[] {
  switch (node.type) {
    case 'conversation':
      return without(node.instruction, 'instruction', 'so it has nothing to say')
    case 'subagent':
      return [
        ...without(node.instruction, 'instruction', 'so it has nothing to say'),
        ...(node.tool_ids ?? []).flatMap((id, index) => unknownTool(graph, id, `tool_ids[${index}]`)),
        ...(node.tools ?? []).flatMap((tool, index) => toolLacks(tool, graph, `tools[${index}]`)),
      ]
    case 'function':
      if (node.tool_id === undefined) return without(node.tool_id, 'tool_id', 'so it runs nothing')
      return unknownTool(graph, node.tool_id, 'tool_id')
    case 'code':
      return without(node.code, 'code', 'so it runs nothing')
    case 'transfer_call':
      return without(node.transfer_destination, 'transfer_destination', 'so the transfer fails')
    case 'agent_swap':
      return without(node.agent_id, 'agent_id', 'so the hand-over fails')
    case 'sms':
      return without(node.instruction, 'instruction', 'so there is no message to send')
    case 'press_digit':
      return without(node.instruction, 'instruction', 'so it does not know which keys to press')
    case 'extract_dynamic_variables':
      return without(node.variables, 'variables', 'so it extracts nothing')
    case 'mcp':
      return mcpLacks(node, graph)
    case 'component':
      return componentLacks(node, surroundings)
    case 'branch':
    case 'end':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return []
  }
}

/** What a tool names and its graph does not have. */
export function toolLacks(tool: FlowTool, graph: Pick<DialogGraph, 'mcps'>, path: string): Lack[] {
  if (tool.type !== 'mcp' || graph.mcps.some((server) => mcpServerId(server) === tool.mcp_id)) return []
  return [{ path: `${path}.mcp_id`, what: `has the tool "${tool.name}" of the MCP server "${tool.mcp_id}", ${GONE}` }]
}

const GONE = 'which is not there'

function without(value: unknown, path: string, consequence: string): Lack[] {
  return value === undefined ? [{ path, what: `has no "${path}", ${consequence}` }] : []
}

function unknownTool({ tools }: DialogGraph, id: string, path: string): Lack[] {
  if (tools.some((tool) => flowToolId(tool) === id || tool.name === id)) return []
  return [{ path, what: `names the tool "${id}", ${GONE}` }]
}

function mcpLacks(node: Extract<FlowNode, { type: 'mcp' }>, graph: DialogGraph): Lack[] {
  if (node.mcp_id === undefined || node.mcp_tool_name === undefined) {
    const path = node.mcp_id === undefined ? 'mcp_id' : 'mcp_tool_name'
    return [{ path, what: 'does not name its MCP server and tool' }]
  }
  const id = node.mcp_id
  if (graph.mcps.some((server) => mcpServerId(server) === id || server.name === id)) return []
  return [{ path: 'mcp_id', what: `names the MCP server "${id}", ${GONE}` }]
}

function componentLacks(node: FlowNode, { localIds, shared }: Surroundings): Lack[] {
  const path = 'component_id'
  const named = componentNamedBy(node, localIds)
  if (named === null) return [{ path, what: 'has no "component_id", so it is skipped' }]
  if (named.type === 'local') {
    return localIds.has(named.id) ? [] : [{ path, what: `names the local component "${named.id}", ${GONE}` }]
  }
  return shared === null || shared.has(named.id) ? [] : [{ path, what: `names the component "${named.id}", ${GONE}` }]
}
