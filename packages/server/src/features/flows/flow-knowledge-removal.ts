import type { FlowNode } from '@parley/contract/flow-node'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { KnowledgeRemoval } from '../knowledge/public.ts'
import { findComponent, findMentions, rewriteComponent } from './component-store.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'

/**
 * Lets go of a deleted knowledge base: unused drafts of flows, and shared components, lose its id. A node's list stays even when
 * it is empty then, since a node without one draws on those of its flow. Frozen versions are never rewritten.
 */
export function createFlowKnowledgeRemoval(): KnowledgeRemoval {
  const store = new VersionStore<FlowDefinition>('conversation-flow')
  return {
    async knowledgeBaseRemoved(transaction, { workspaceId, knowledgeBaseId, now }) {
      const mentions = await findMentions(transaction, workspaceId, knowledgeBaseId)
      for (const id of mentions.flows) {
        const flow = await store.find(transaction, workspaceId, id, 'latest')
        if (flow === null || flow.frozen || flow.published) continue
        const stored = completeFlow(flow.definition)
        const definition = flowWithout(stored, knowledgeBaseId)
        if (definition === stored) continue
        await store.updateDraft(transaction, { id, version: flow.version, now }, { definition })
      }
      for (const id of mentions.components) {
        const component = await findComponent(transaction, workspaceId, id)
        if (component === null) continue
        const nodes = nodesWithout(component.definition.nodes, knowledgeBaseId)
        if (nodes === component.definition.nodes) continue
        await rewriteComponent(transaction, { id, definition: { ...component.definition, nodes }, now })
      }
    },
  }
}

/** Answers the very flow when nothing in it names the knowledge base. */
function flowWithout(flow: FlowDefinition, knowledgeBaseId: string): FlowDefinition {
  const nodes = nodesWithout(flow.nodes, knowledgeBaseId)
  const components = flow.components.map((component) => {
    const editedNodes = nodesWithout(component.nodes, knowledgeBaseId)
    return editedNodes === component.nodes ? component : { ...component, nodes: editedNodes }
  })
  const isSame =
    nodes === flow.nodes &&
    components.every((component, index) => component === flow.components[index]) &&
    !flow.knowledge_base_ids.includes(knowledgeBaseId)
  if (isSame) return flow
  return { ...flow, nodes, components, knowledge_base_ids: without(flow.knowledge_base_ids, knowledgeBaseId) }
}

function nodesWithout(nodes: FlowNode[], knowledgeBaseId: string): FlowNode[] {
  if (!nodes.some((node) => namesOf(node).includes(knowledgeBaseId))) return nodes
  return nodes.map((node) =>
    namesOf(node).includes(knowledgeBaseId)
      ? { ...node, knowledge_base_ids: without(namesOf(node), knowledgeBaseId) }
      : node,
  )
}

function namesOf(node: FlowNode): readonly string[] {
  return 'knowledge_base_ids' in node && node.knowledge_base_ids !== undefined ? node.knowledge_base_ids : []
}

function without(ids: readonly string[], knowledgeBaseId: string): string[] {
  return ids.filter((id) => id !== knowledgeBaseId)
}
