import type { Transaction } from '../../kernel/storage/database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { KnowledgeRemoval } from '../knowledge/public.ts'
import { completeLlm, type LlmDefinition } from './llm-definition.ts'

/** Takes a deleted knowledge base out of unused drafts, which counts as an edit. Frozen versions stay as they were used. */
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

/** LLMs whose newest version may name it; whether one does is told by its definition. */
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
