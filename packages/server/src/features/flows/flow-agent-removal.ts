import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { AgentRemoval } from '../agents/public.ts'
import { findComponent, findMentions, rewriteComponent } from './component-store.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'
import { agentsOfNode, agentsOfTool, type ReferencingGraph, referencedAgents } from './named-agents.ts'

interface EditableGraph extends ReferencingGraph {
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
        if (![stored, ...stored.components].some((graph) => referencesAgent(graph, agentId))) continue
        const components = stored.components.map((component) => withoutAgent(component, agentId))
        const definition = { ...withoutAgent(stored, agentId), components }
        await store.updateDraft(transaction, { id, version: flow.version, now }, { definition })
      }
      for (const id of mentions.components) {
        const component = await findComponent(transaction, workspaceId, id)
        if (component === null || !referencesAgent(component.definition, agentId)) continue
        await rewriteComponent(transaction, { id, definition: withoutAgent(component.definition, agentId), now })
      }
    },
  }
}

function referencesAgent(graph: EditableGraph, agentId: string): boolean {
  return referencedAgents(graph).includes(agentId)
}

type TransferHolder = Extract<FlowNode | FlowTool, { type: 'transfer_call' }>

function withoutAgent<Graph extends EditableGraph>(graph: Graph, agentId: string): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) => (agentsOfNode(node).includes(agentId) ? releaseNode(node, agentId) : node)),
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
    if (!agentsOfTool(tool).includes(agentId)) return [tool]
    return tool.type === 'transfer_call' ? [releaseTransfer(tool)] : []
  })
}

/** An agentic transfer cannot be without its agent; whatever else was set means the same in a warm one. */
function releaseTransfer<Holder extends TransferHolder>(holder: Holder): Holder {
  const option = holder.transfer_option
  if (option?.type !== 'agentic_warm_transfer') return holder
  const { agentic_transfer_config: _config, ...remainingOption } = option
  return { ...holder, transfer_option: { ...remainingOption, type: 'warm_transfer' } }
}
