import type { Reader } from './database.ts'

/** Said of this many at most. */
const MOST_NAMED = 20
/** Ids that one statement looks up. */
const IDS_A_LOOK = 200

/** Sentences about knowledge bases that are named but do not exist in the workspace: conversations skip them. */
export async function knowledgeWarnings(
  reader: Reader,
  workspaceId: number,
  named: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(named)]
  const missing: string[] = []
  for (let start = 0; start < ids.length && missing.length < MOST_NAMED; start += IDS_A_LOOK) {
    const some = ids.slice(start, start + IDS_A_LOOK)
    const rows = await reader
      .selectFrom('knowledge_bases')
      .select('knowledge_base_id')
      .where('workspace_id', '=', workspaceId)
      .where('knowledge_base_id', 'in', some)
      .execute()
    const known = new Set(rows.map((row) => row.knowledge_base_id))
    missing.push(...some.filter((id) => !known.has(id)))
  }
  return missing.slice(0, MOST_NAMED).map((id) => `The knowledge base "${id}" does not exist: it is skipped.`)
}
