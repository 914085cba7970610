import type { FlowNode } from '../flow-node.ts'
import { type FlowTool, getFlowToolId } from '../flow-tool.ts'
import { getMcpServerId } from '../mcp-server.ts'
import { type ComponentOutlines, type DialogGraph, findReferencedComponent } from './dialog-graph.ts'

/** Warnings about missing settings of a node or its tools. */

/** A warning about a node. `path` is relative to the node, and `problem` completes `Node "a" …`. */
export interface NodeWarning {
  readonly path: string
  readonly problem: string
}

/** Components that a graph can refer to. */
export interface ReferenceContext {
  readonly localIds: ReadonlySet<string>
  /** Existing shared components; `null` if unknown. */
  readonly shared: ComponentOutlines | null
}

/** Warns about missing settings that the node type requires. */
export function findMissingConfigWarnings(
  node: FlowNode,
  graph: DialogGraph,
  references: ReferenceContext,
): NodeWarning[] {
  switch (node.type) {
    case 'conversation':
      return warnAboutMissingField(node.instruction, 'instruction', 'so it has nothing to say')
    case 'subagent':
      return [
        ...warnAboutMissingField(node.instruction, 'instruction', 'so it has nothing to say'),
        ...(node.tool_ids ?? []).flatMap((id, index) => warnAboutUnknownTool(graph, id, `tool_ids[${index}]`)),
        ...(node.tools ?? []).flatMap((tool, index) => findToolWarnings(tool, graph, `tools[${index}]`)),
      ]
    case 'function':
      if (node.tool_id === undefined) return warnAboutMissingField(node.tool_id, 'tool_id', 'so it runs nothing')
      return warnAboutUnknownTool(graph, node.tool_id, 'tool_id')
    case 'code':
      return warnAboutMissingField(node.code, 'code', 'so it runs nothing')
    case 'transfer_call':
      return warnAboutMissingField(node.transfer_destination, 'transfer_destination', 'so the transfer fails')
    case 'agent_swap':
      return warnAboutMissingField(node.agent_id, 'agent_id', 'so the swap fails')
    case 'sms':
      return warnAboutMissingField(node.instruction, 'instruction', 'so there is no message to send')
    case 'press_digit':
      return warnAboutMissingField(node.instruction, 'instruction', 'so it does not know which keys to press')
    case 'extract_dynamic_variables':
      return warnAboutMissingField(node.variables, 'variables', 'so it extracts nothing')
    case 'mcp':
      return findMcpNodeWarnings(node, graph)
    case 'component':
      return findComponentNodeWarnings(node, references)
    case 'branch':
    case 'end':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return []
  }
}

/** Warns if the MCP server of a tool is missing. */
export function findToolWarnings(tool: FlowTool, graph: Pick<DialogGraph, 'mcps'>, path: string): NodeWarning[] {
  if (tool.type !== 'mcp' || graph.mcps.some((server) => getMcpServerId(server) === tool.mcp_id)) return []
  return [
    {
      path: `${path}.mcp_id`,
      problem: `has the tool "${tool.name}" of the MCP server "${tool.mcp_id}", ${MISSING_CLAUSE}`,
    },
  ]
}

const MISSING_CLAUSE = 'which does not exist'

function warnAboutMissingField(value: unknown, path: string, effect: string): NodeWarning[] {
  return value === undefined ? [{ path, problem: `has no "${path}", ${effect}` }] : []
}

function warnAboutUnknownTool({ tools }: DialogGraph, id: string, path: string): NodeWarning[] {
  if (tools.some((tool) => getFlowToolId(tool) === id || tool.name === id)) return []
  return [{ path, problem: `refers to the tool "${id}", ${MISSING_CLAUSE}` }]
}

function findMcpNodeWarnings(node: Extract<FlowNode, { type: 'mcp' }>, graph: DialogGraph): NodeWarning[] {
  if (node.mcp_id === undefined || node.mcp_tool_name === undefined) {
    const path = node.mcp_id === undefined ? 'mcp_id' : 'mcp_tool_name'
    return [{ path, problem: 'does not specify its MCP server and tool' }]
  }
  const id = node.mcp_id
  if (graph.mcps.some((server) => getMcpServerId(server) === id || server.name === id)) return []
  return [{ path: 'mcp_id', problem: `refers to the MCP server "${id}", ${MISSING_CLAUSE}` }]
}

function findComponentNodeWarnings(node: FlowNode, { localIds, shared }: ReferenceContext): NodeWarning[] {
  const path = 'component_id'
  const reference = findReferencedComponent(node, localIds)
  if (reference === null) return [{ path, problem: 'has no "component_id", so it is skipped' }]
  if (reference.type === 'local') {
    return localIds.has(reference.id)
      ? []
      : [{ path, problem: `refers to the local component "${reference.id}", ${MISSING_CLAUSE}` }]
  }
  return shared === null || shared.has(reference.id)
    ? []
    : [{ path, problem: `refers to the component "${reference.id}", ${MISSING_CLAUSE}` }]
}
