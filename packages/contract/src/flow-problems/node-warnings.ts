import type { FlowNode } from '../flow-node.ts'
import { type FlowTool, flowToolId } from '../flow-tool.ts'
import { mcpServerId } from '../mcp-server.ts'
import { type ComponentOutlines, type DialogGraph, referencedComponent } from './dialog-graph.ts'

/** Warnings about missing settings of a node or its tools. */

/** A warning about a node. `path` is within the node, and `predicate` continues `Node "a" …`. */
export interface NodeWarning {
  readonly path: string
  readonly predicate: string
}

/** Components that a graph can refer to. */
export interface ReferenceContext {
  readonly localIds: ReadonlySet<string>
  /** `null` if the existing shared components are unknown. */
  readonly shared: ComponentOutlines | null
}

/** Warns about missing settings that the type of the node requires. */
export function missingConfigWarnings(node: FlowNode, graph: DialogGraph, references: ReferenceContext): NodeWarning[] {
  switch (node.type) {
    case 'conversation':
      return missingField(node.instruction, 'instruction', 'so it has nothing to say')
    case 'subagent':
      return [
        ...missingField(node.instruction, 'instruction', 'so it has nothing to say'),
        ...(node.tool_ids ?? []).flatMap((id, index) => unknownTool(graph, id, `tool_ids[${index}]`)),
        ...(node.tools ?? []).flatMap((tool, index) => toolWarnings(tool, graph, `tools[${index}]`)),
      ]
    case 'function':
      if (node.tool_id === undefined) return missingField(node.tool_id, 'tool_id', 'so it runs nothing')
      return unknownTool(graph, node.tool_id, 'tool_id')
    case 'code':
      return missingField(node.code, 'code', 'so it runs nothing')
    case 'transfer_call':
      return missingField(node.transfer_destination, 'transfer_destination', 'so the transfer fails')
    case 'agent_swap':
      return missingField(node.agent_id, 'agent_id', 'so the swap fails')
    case 'sms':
      return missingField(node.instruction, 'instruction', 'so there is no message to send')
    case 'press_digit':
      return missingField(node.instruction, 'instruction', 'so it does not know which keys to press')
    case 'extract_dynamic_variables':
      return missingField(node.variables, 'variables', 'so it extracts nothing')
    case 'mcp':
      return mcpNodeWarnings(node, graph)
    case 'component':
      return componentNodeWarnings(node, references)
    case 'branch':
    case 'end':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return []
  }
}

/** Warns about a tool whose MCP server is missing. */
export function toolWarnings(tool: FlowTool, graph: Pick<DialogGraph, 'mcps'>, path: string): NodeWarning[] {
  if (tool.type !== 'mcp' || graph.mcps.some((server) => mcpServerId(server) === tool.mcp_id)) return []
  return [
    {
      path: `${path}.mcp_id`,
      predicate: `has the tool "${tool.name}" of the MCP server "${tool.mcp_id}", ${MISSING_CLAUSE}`,
    },
  ]
}

const MISSING_CLAUSE = 'which does not exist'

function missingField(value: unknown, path: string, effect: string): NodeWarning[] {
  return value === undefined ? [{ path, predicate: `has no "${path}", ${effect}` }] : []
}

function unknownTool({ tools }: DialogGraph, id: string, path: string): NodeWarning[] {
  if (tools.some((tool) => flowToolId(tool) === id || tool.name === id)) return []
  return [{ path, predicate: `refers to the tool "${id}", ${MISSING_CLAUSE}` }]
}

function mcpNodeWarnings(node: Extract<FlowNode, { type: 'mcp' }>, graph: DialogGraph): NodeWarning[] {
  if (node.mcp_id === undefined || node.mcp_tool_name === undefined) {
    const path = node.mcp_id === undefined ? 'mcp_id' : 'mcp_tool_name'
    return [{ path, predicate: 'does not specify its MCP server and tool' }]
  }
  const id = node.mcp_id
  if (graph.mcps.some((server) => mcpServerId(server) === id || server.name === id)) return []
  return [{ path: 'mcp_id', predicate: `refers to the MCP server "${id}", ${MISSING_CLAUSE}` }]
}

function componentNodeWarnings(node: FlowNode, { localIds, shared }: ReferenceContext): NodeWarning[] {
  const path = 'component_id'
  const named = referencedComponent(node, localIds)
  if (named === null) return [{ path, predicate: 'has no "component_id", so it is skipped' }]
  if (named.type === 'local') {
    return localIds.has(named.id)
      ? []
      : [{ path, predicate: `refers to the local component "${named.id}", ${MISSING_CLAUSE}` }]
  }
  return shared === null || shared.has(named.id)
    ? []
    : [{ path, predicate: `refers to the component "${named.id}", ${MISSING_CLAUSE}` }]
}
