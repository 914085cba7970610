import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import type { AgentRemoval } from '../agents/public.ts'
import { editReferencingDrafts } from '../engines/public.ts'
import type { KnowledgeRemoval } from '../knowledge/public.ts'
import { findComponent, findMentioningComponents, saveComponentDefinition } from './component-store.ts'
import { listNodeAgents, listReferencedAgents, listToolAgents, type ReferencingGraph } from './flow-checks.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'

interface EditableGraph extends ReferencingGraph {
  readonly nodes: FlowNode[]
  readonly tools: FlowTool[]
}

/**
 * Creates the hook that removes a deleted agent from unused flow drafts and shared components. Keeps all nodes, so that the
 * graph remains valid. Removes swap tools and converts agentic transfers to warm transfers to a person.
 */
export function createFlowAgentRemoval(): AgentRemoval {
  return {
    async removeAgentReferences(transaction, { workspaceId, agentId, now }) {
      const mention = { kind: 'conversation-flow', workspaceId, mentionedId: agentId, now } as const
      await editReferencingDrafts<FlowDefinition>(transaction, mention, (draft) => {
        const stored = completeFlow(draft)
        if (![stored, ...stored.components].some((graph) => referencesAgent(graph, agentId))) return null
        const components = stored.components.map((component) => removeAgentFromGraph(component, agentId))
        return { ...removeAgentFromGraph(stored, agentId), components }
      })
      for (const id of await findMentioningComponents(transaction, workspaceId, agentId)) {
        const component = await findComponent(transaction, workspaceId, id)
        if (component === null || !referencesAgent(component.definition, agentId)) continue
        await saveComponentDefinition(transaction, {
          id,
          definition: removeAgentFromGraph(component.definition, agentId),
          now,
        })
      }
    },
  }
}

function referencesAgent(graph: EditableGraph, agentId: string): boolean {
  return listReferencedAgents(graph).includes(agentId)
}

type TransferSource = Extract<FlowNode | FlowTool, { type: 'transfer_call' }>

function removeAgentFromGraph<Graph extends EditableGraph>(graph: Graph, agentId: string): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) =>
      listNodeAgents(node).includes(agentId) ? removeAgentFromNode(node, agentId) : node,
    ),
    tools: removeAgentFromTools(graph.tools, agentId),
  }
}

function removeAgentFromNode(node: FlowNode, agentId: string): FlowNode {
  if (node.type === 'agent_swap') {
    const { agent_id: _id, agent_version: _version, ...rest } = node
    return rest
  }
  if (node.type === 'transfer_call') return toWarmTransfer(node)
  if (node.type === 'subagent' && node.tools !== undefined) {
    return { ...node, tools: removeAgentFromTools(node.tools, agentId) }
  }
  return node
}

function removeAgentFromTools(tools: readonly FlowTool[], agentId: string): FlowTool[] {
  return tools.flatMap((tool) => {
    if (!listToolAgents(tool).includes(agentId)) return [tool]
    return tool.type === 'transfer_call' ? [toWarmTransfer(tool)] : []
  })
}

/** Converts an agentic transfer to a warm transfer, which needs no agent. The other options apply to both types. */
function toWarmTransfer<Holder extends TransferSource>(source: Holder): Holder {
  const option = source.transfer_option
  if (option?.type !== 'agentic_warm_transfer') return source
  const { agentic_transfer_config: _config, ...remainingOptions } = option
  return { ...source, transfer_option: { ...remainingOptions, type: 'warm_transfer' } }
}

/**
 * Creates the hook that removes a deleted knowledge base from unused flow drafts and shared components. A node's list may become
 * empty but is never removed, because a node without a list uses the flow's list.
 */
export function createFlowKnowledgeRemoval(): KnowledgeRemoval {
  return {
    async removeKnowledgeBaseReferences(transaction, { workspaceId, knowledgeBaseId, now }) {
      const mention = { kind: 'conversation-flow', workspaceId, mentionedId: knowledgeBaseId, now } as const
      await editReferencingDrafts<FlowDefinition>(transaction, mention, (draft) => {
        const stored = completeFlow(draft)
        const edited = removeKnowledgeFromFlow(stored, knowledgeBaseId)
        return edited === stored ? null : edited
      })
      for (const id of await findMentioningComponents(transaction, workspaceId, knowledgeBaseId)) {
        const component = await findComponent(transaction, workspaceId, id)
        if (component === null) continue
        const nodes = removeKnowledgeFromNodes(component.definition.nodes, knowledgeBaseId)
        if (nodes === component.definition.nodes) continue
        await saveComponentDefinition(transaction, { id, definition: { ...component.definition, nodes }, now })
      }
    },
  }
}

/** Returns the flow without the knowledge base, or the same object if nothing references the knowledge base. */
function removeKnowledgeFromFlow(flow: FlowDefinition, knowledgeBaseId: string): FlowDefinition {
  const nodes = removeKnowledgeFromNodes(flow.nodes, knowledgeBaseId)
  const components = flow.components.map((component) => {
    const editedNodes = removeKnowledgeFromNodes(component.nodes, knowledgeBaseId)
    return editedNodes === component.nodes ? component : { ...component, nodes: editedNodes }
  })
  const isUnchanged =
    nodes === flow.nodes &&
    components.every((component, index) => component === flow.components[index]) &&
    !flow.knowledge_base_ids.includes(knowledgeBaseId)
  if (isUnchanged) return flow
  return { ...flow, nodes, components, knowledge_base_ids: removeId(flow.knowledge_base_ids, knowledgeBaseId) }
}

function removeKnowledgeFromNodes(nodes: FlowNode[], knowledgeBaseId: string): FlowNode[] {
  if (!nodes.some((node) => getKnowledgeBaseIds(node).includes(knowledgeBaseId))) return nodes
  return nodes.map((node) =>
    getKnowledgeBaseIds(node).includes(knowledgeBaseId)
      ? { ...node, knowledge_base_ids: removeId(getKnowledgeBaseIds(node), knowledgeBaseId) }
      : node,
  )
}

function getKnowledgeBaseIds(node: FlowNode): readonly string[] {
  return 'knowledge_base_ids' in node && node.knowledge_base_ids !== undefined ? node.knowledge_base_ids : []
}

function removeId(ids: readonly string[], knowledgeBaseId: string): string[] {
  return ids.filter((id) => id !== knowledgeBaseId)
}
