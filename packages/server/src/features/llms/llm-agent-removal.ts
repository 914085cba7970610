import { sql } from 'kysely'
import type { Transaction } from '../../kernel/storage/database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { AgentRemoval } from '../agents/public.ts'
import { completeLlm, type LlmDefinition } from './llm-definition.ts'
import { withoutAgent } from './without-agent.ts'

/** Takes a deleted agent out of the tools of unused drafts, which counts as an edit. Frozen versions stay as they were used. */
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

/** Answers the very definition when no tool of it names the agent. */
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
    // Spares reading the drafts that cannot name the agent; whether one does is told by its tools.
    .where(sql<boolean>`resource_versions.definition like ${pattern} escape '\\'`)
    .execute()
  return rows.map((row) => ({
    id: row.resource_id,
    version: row.version,
    definition: completeLlm(JSON.parse(row.definition) as LlmDefinition),
  }))
}
