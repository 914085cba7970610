import type { Reader } from '../../kernel/storage/database.ts'
import { findMissing } from './missing-references.ts'

/** Sentences about knowledge bases that are named but do not exist in the workspace: conversations skip them. */
export async function knowledgeWarnings(
  reader: Reader,
  workspaceId: number,
  named: readonly string[],
): Promise<string[]> {
  const missing = await findMissing(named, async (some) => {
    const rows = await reader
      .selectFrom('knowledge_bases')
      .select('knowledge_base_id')
      .where('workspace_id', '=', workspaceId)
      .where('knowledge_base_id', 'in', some)
      .execute()
    return rows.map((row) => row.knowledge_base_id)
  })
  return missing.map((id) => `The knowledge base "${id}" does not exist: it is skipped.`)
}
