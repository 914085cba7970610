import type { Tool } from '@parley/contract/tools'
import type { TransferOption } from '@parley/contract/transfer-tool'
import { sql } from 'kysely'
import type { Transaction } from '../../kernel/storage/database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { AgentRemoval } from '../agents/public.ts'
import type { KnowledgeRemoval } from '../knowledge/public.ts'
import { completeLlm, type LlmDefinition } from './llm-definition.ts'

/** Removes a deleted agent from the tools of unused drafts, which counts as an edit. Frozen versions stay unchanged. */
export function createLlmAgentRemoval(): AgentRemoval {
  const store = new VersionStore<LlmDefinition>('llm')
  return {
    async agentRemoved(transaction, { workspaceId, agentId, now }) {
      for (const { id, version, definition } of await findDraftsNaming(transaction, workspaceId, agentId)) {
        const edited = llmWithoutAgent(definition, agentId)
        if (edited === definition) continue
        await store.updateDraft(transaction, { id, version, now }, { definition: edited })
      }
    },
  }
}

/** Returns the same object when no tool references the agent. */
function llmWithoutAgent(definition: LlmDefinition, agentId: string): LlmDefinition {
  const general = withoutAgent(definition.general_tools, agentId)
  const states = definition.states.map((state) => {
    const tools = withoutAgent(state.tools ?? [], agentId)
    return tools === state.tools || state.tools === undefined ? state : { ...state, tools: [...tools] }
  })
  if (general === definition.general_tools && states.every((state, index) => state === definition.states[index])) {
    return definition
  }
  return { ...definition, general_tools: [...general], states }
}

async function findDraftsNaming(transaction: Transaction, workspaceId: number, agentId: string) {
  const pattern = `%${JSON.stringify(agentId).replace(/[\\%_]/g, '\\$&')}%`
  const rows = await transaction
    .selectFrom('resources')
    .innerJoin('resource_versions', (join) =>
      join
        .onRef('resource_versions.resource_id', '=', 'resources.resource_id')
        .onRef('resource_versions.version', '=', 'resources.newest_version'),
    )
    .select(['resources.resource_id', 'resource_versions.version', 'resource_versions.definition'])
    .where('resources.kind', '=', 'llm')
    .where('resources.workspace_id', '=', workspaceId)
    .where('resource_versions.frozen_at', 'is', null)
    // A prefilter that avoids reading unrelated drafts; the tools decide.
    .where(sql<boolean>`resource_versions.definition like ${pattern} escape '\\'`)
    .execute()
  return rows.map((row) => ({
    id: row.resource_id,
    version: row.version,
    definition: completeLlm(JSON.parse(row.definition) as LlmDefinition),
  }))
}

/**
 * Removes swaps to the agent and turns its agentic transfers into warm ones. Returns the same list when none references
 * it.
 */
export function withoutAgent(tools: readonly Tool[], agentId: string): readonly Tool[] {
  if (!tools.some((tool) => names(tool, agentId))) return tools
  return tools.flatMap((tool) => {
    if (!names(tool, agentId)) return [tool]
    return tool.type === 'transfer_call' ? [{ ...tool, transfer_option: toWarm(tool.transfer_option) }] : []
  })
}

function names(tool: Tool, agentId: string): boolean {
  if (tool.type === 'agent_swap') return tool.agent_id === agentId
  if (tool.type !== 'transfer_call' || tool.transfer_option.type !== 'agentic_warm_transfer') return false
  return tool.transfer_option.agentic_transfer_config.transfer_agent.agent_id === agentId
}

/** An agentic transfer needs its agent; its other options mean the same in a warm one. */
function toWarm(option: TransferOption): TransferOption {
  if (option.type !== 'agentic_warm_transfer') return option
  const { agentic_transfer_config: _gone, ...remainingOption } = option
  return { ...remainingOption, type: 'warm_transfer' }
}

/** Removes a deleted knowledge base from unused drafts, which counts as an edit. Frozen versions stay unchanged. */
export function createLlmKnowledgeRemoval(): KnowledgeRemoval {
  const store = new VersionStore<LlmDefinition>('llm')
  return {
    async knowledgeBaseRemoved(transaction, { workspaceId, knowledgeBaseId, now }) {
      for (const id of await findNaming(transaction, workspaceId, knowledgeBaseId)) {
        const llm = await store.find(transaction, workspaceId, id, 'latest')
        if (llm === null || llm.frozen || llm.published) continue
        const definition = completeLlm(llm.definition)
        const knowledge_base_ids = definition.knowledge_base_ids.filter((named) => named !== knowledgeBaseId)
        if (knowledge_base_ids.length === definition.knowledge_base_ids.length) continue
        const { version } = llm
        await store.updateDraft(
          transaction,
          { id, version, now },
          { definition: { ...definition, knowledge_base_ids } },
        )
      }
    },
  }
}

/** LLMs whose newest version may reference it; the definition decides. */
async function findNaming(transaction: Transaction, workspaceId: number, knowledgeBaseId: string): Promise<string[]> {
  const rows = await transaction
    .selectFrom('resources')
    .innerJoin('resource_versions', (join) =>
      join
        .onRef('resource_versions.resource_id', '=', 'resources.resource_id')
        .onRef('resource_versions.version', '=', 'resources.newest_version'),
    )
    .select('resources.resource_id')
    .where('resources.kind', '=', 'llm')
    .where('resources.workspace_id', '=', workspaceId)
    .where('resource_versions.frozen_at', 'is', null)
    .where('resource_versions.definition', 'like', `%${knowledgeBaseId}%`)
    .orderBy('resources.resource_id')
    .execute()
  return rows.map((row) => row.resource_id)
}
