import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import type { AgentRemoval } from '../../kernel/agent-removal.ts'
import { VersionStore } from '../../kernel/version-store.ts'
import { findComponent, findMentions, rewriteComponent } from './component-store.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'

/** What can name an agent, in a flow or in a component. */
interface Naming {
  readonly nodes: FlowNode[]
  readonly tools: FlowTool[]
}

/**
 * Lets go of a deleted agent: unused drafts of flows, and shared components, lose what names it. Nodes keep standing, so that
 * the graph stays whole; a tool that hands over to the agent goes, and a transfer that it would have spoken for waits for a
 * person instead. Frozen versions are never rewritten.
 */
export function createFlowAgentRemoval(): AgentRemoval {
  const store = new VersionStore<FlowDefinition>('conversation-flow')
  return {
    async agentRemoved(transaction, { workspaceId, agentId, now }) {
      const mentions = await findMentions(transaction, workspaceId, agentId)
      for (const id of mentions.flows) {
        const flow = await store.find(transaction, workspaceId, id, 'latest')
        if (flow === null || flow.frozen || flow.published) continue
        const stored = completeFlow(flow.definition)
        if (![stored, ...stored.components].some((graph) => namesAgent(graph, agentId))) continue
        const components = stored.components.map((component) => withoutAgent(component, agentId))
        const definition = { ...withoutAgent(stored, agentId), components }
        await store.updateDraft(transaction, { id, version: flow.version, now }, { definition })
      }
      for (const id of mentions.components) {
        const component = await findComponent(transaction, workspaceId, id)
        if (component === null || !namesAgent(component.definition, agentId)) continue
        await rewriteComponent(transaction, { id, definition: withoutAgent(component.definition, agentId), now })
      }
    },
  }
}

function namesAgent({ nodes, tools }: Naming, agentId: string): boolean {
  return tools.some((tool) => toolNamesAgent(tool, agentId)) || nodes.some((node) => nodeNamesAgent(node, agentId))
}

function nodeNamesAgent(node: FlowNode, agentId: string): boolean {
  switch (node.type) {
    case 'agent_swap':
      return node.agent_id === agentId
    case 'transfer_call':
      return transferAgentOf(node) === agentId
    case 'subagent':
      return node.tools?.some((tool) => toolNamesAgent(tool, agentId)) === true
    default:
      return false
  }
}

function toolNamesAgent(tool: FlowTool, agentId: string): boolean {
  return tool.type === 'agent_swap' ? tool.agent_id === agentId : transferAgentOf(tool) === agentId
}

type Transferring = Extract<FlowNode | FlowTool, { type: 'transfer_call' }>

function transferAgentOf(holder: FlowNode | FlowTool): string | undefined {
  if (holder.type !== 'transfer_call') return undefined
  const option = holder.transfer_option
  return option?.type === 'agentic_warm_transfer' ? option.agentic_transfer_config.transfer_agent.agent_id : undefined
}

function withoutAgent<Graph extends Naming>(graph: Graph, agentId: string): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) => (nodeNamesAgent(node, agentId) ? releaseNode(node, agentId) : node)),
    tools: releaseTools(graph.tools, agentId),
  }
}

function releaseNode(node: FlowNode, agentId: string): FlowNode {
  if (node.type === 'agent_swap') {
    const { agent_id: _id, agent_version: _version, ...rest } = node
    return rest
  }
  if (node.type === 'transfer_call') return releaseTransfer(node)
  if (node.type === 'subagent' && node.tools !== undefined) {
    return { ...node, tools: releaseTools(node.tools, agentId) }
  }
  return node
}

function releaseTools(tools: readonly FlowTool[], agentId: string): FlowTool[] {
  return tools.flatMap((tool) => {
    if (!toolNamesAgent(tool, agentId)) return [tool]
    return tool.type === 'transfer_call' ? [releaseTransfer(tool)] : []
  })
}

/** An agentic transfer cannot be without its agent; whatever else was set means the same in a warm one. */
function releaseTransfer<Holder extends Transferring>(holder: Holder): Holder {
  const option = holder.transfer_option
  if (option?.type !== 'agentic_warm_transfer') return holder
  const { agentic_transfer_config: _config, ...kept } = option
  return { ...holder, transfer_option: { ...kept, type: 'warm_transfer' } }
}
