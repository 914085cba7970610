import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'

/** What can name an agent, in a flow or in a component. */
export interface ReferencingGraph {
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
}

/** The agents that nodes and tools hand over to or let speak for a transfer, as often as they are named. */
export function referencedAgents({ nodes, tools }: ReferencingGraph): string[] {
  return [...tools.flatMap(agentsOfTool), ...nodes.flatMap(agentsOfNode)]
}

export function agentsOfNode(node: FlowNode): string[] {
  switch (node.type) {
    case 'agent_swap':
      return node.agent_id === undefined ? [] : [node.agent_id]
    case 'transfer_call':
      return transferAgentOf(node)
    case 'subagent':
      return (node.tools ?? []).flatMap(agentsOfTool)
    default:
      return []
  }
}

export function agentsOfTool(tool: FlowTool): string[] {
  return tool.type === 'agent_swap' ? [tool.agent_id] : transferAgentOf(tool)
}

function transferAgentOf(holder: FlowNode | FlowTool): string[] {
  if (holder.type !== 'transfer_call') return []
  const option = holder.transfer_option
  return option?.type === 'agentic_warm_transfer' ? [option.agentic_transfer_config.transfer_agent.agent_id] : []
}
