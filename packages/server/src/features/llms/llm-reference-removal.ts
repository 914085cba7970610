import type { Tool } from '@parley/contract/tools'
import type { TransferOption } from '@parley/contract/transfer-tool'
import type { AgentRemoval } from '../agents/public.ts'
import { editReferencingDrafts } from '../engines/public.ts'
import type { KnowledgeRemoval } from '../knowledge/public.ts'
import { completeLlm, type LlmDefinition } from './llm-definition.ts'

/** Creates the hook that removes a deleted agent from the tools of unused drafts. */
export function createLlmAgentRemoval(): AgentRemoval {
  return {
    removeAgentReferences: (transaction, { workspaceId, agentId, now }) =>
      editReferencingDrafts<LlmDefinition>(
        transaction,
        { kind: 'llm', workspaceId, mentionedId: agentId, now },
        (draft) => {
          const stored = completeLlm(draft)
          const edited = removeAgentFromLlm(stored, agentId)
          return edited === stored ? null : edited
        },
      ),
  }
}

/** Creates the hook that removes a deleted knowledge base from unused drafts. */
export function createLlmKnowledgeRemoval(): KnowledgeRemoval {
  return {
    removeKnowledgeBaseReferences: (transaction, { workspaceId, knowledgeBaseId, now }) =>
      editReferencingDrafts<LlmDefinition>(
        transaction,
        { kind: 'llm', workspaceId, mentionedId: knowledgeBaseId, now },
        (draft) => {
          const stored = completeLlm(draft)
          if (!stored.knowledge_base_ids.includes(knowledgeBaseId)) return null
          return { ...stored, knowledge_base_ids: stored.knowledge_base_ids.filter((id) => id !== knowledgeBaseId) }
        },
      ),
  }
}

/** Removes an agent from the tools. Returns the same object if no tool references the agent. */
function removeAgentFromLlm(definition: LlmDefinition, agentId: string): LlmDefinition {
  const generalTools = removeAgentFromTools(definition.general_tools, agentId)
  const states = definition.states.map((state) => {
    const tools = removeAgentFromTools(state.tools ?? [], agentId)
    return tools === state.tools || state.tools === undefined ? state : { ...state, tools: [...tools] }
  })
  if (generalTools === definition.general_tools && states.every((state, index) => state === definition.states[index])) {
    return definition
  }
  return { ...definition, general_tools: [...generalTools], states }
}

/**
 * Removes swaps to the agent and converts its agentic transfers to warm transfers. Returns the same list if no tool references
 * the agent.
 */
export function removeAgentFromTools(tools: readonly Tool[], agentId: string): readonly Tool[] {
  if (!tools.some((tool) => referencesAgent(tool, agentId))) return tools
  return tools.flatMap((tool) => {
    if (!referencesAgent(tool, agentId)) return [tool]
    return tool.type === 'transfer_call' ? [{ ...tool, transfer_option: toWarmTransfer(tool.transfer_option) }] : []
  })
}

function referencesAgent(tool: Tool, agentId: string): boolean {
  if (tool.type === 'agent_swap') return tool.agent_id === agentId
  if (tool.type !== 'transfer_call' || tool.transfer_option.type !== 'agentic_warm_transfer') return false
  return tool.transfer_option.agentic_transfer_config.transfer_agent.agent_id === agentId
}

/** Converts an agentic transfer to a warm transfer, which needs no agent. The other options apply to both types. */
function toWarmTransfer(option: TransferOption): TransferOption {
  if (option.type !== 'agentic_warm_transfer') return option
  const { agentic_transfer_config: _config, ...remainingOptions } = option
  return { ...remainingOptions, type: 'warm_transfer' }
}
