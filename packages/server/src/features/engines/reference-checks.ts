import { findSecretNames } from '@parley/contract/secret-reference'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { listToolTexts } from './tool-secrets.ts'

const MAX_WARNINGS = 20
/** Maximum number of ids per statement. */
const IDS_PER_QUERY = 200

/** Returns the first referenced ids that do not exist, without duplicates. `find` returns the existing ids. */
async function findMissingIds(
  referencedIds: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const uniqueIds = [...new Set(referencedIds)]
  const missingIds: string[] = []
  for (const batch of splitIntoChunks(uniqueIds, IDS_PER_QUERY)) {
    if (missingIds.length >= MAX_WARNINGS) break
    const existingIds = new Set(await find(batch))
    missingIds.push(...batch.filter((id) => !existingIds.has(id)))
  }
  return missingIds.slice(0, MAX_WARNINGS)
}

/** Returns warnings about missing agents. Handoffs to a missing agent fail. */
export async function findMissingAgentWarnings(
  reader: Reader,
  workspaceId: number,
  agentIds: readonly string[],
): Promise<string[]> {
  const missing = await findMissingIds(agentIds, async (ids) => {
    const rows = await reader
      .selectFrom('resources')
      .select('resource_id')
      .where('workspace_id', '=', workspaceId)
      .where('kind', 'in', ['agent', 'chat-agent'])
      .where('resource_id', 'in', ids)
      .execute()
    return rows.map((row) => row.resource_id)
  })
  return missing.map((id) => `The agent "${id}" does not exist: handoffs to it fail.`)
}

/** Returns warnings about missing knowledge bases. Conversations skip a missing knowledge base. */
export async function findKnowledgeWarnings(
  reader: Reader,
  workspaceId: number,
  knowledgeBaseIds: readonly string[],
): Promise<string[]> {
  const missing = await findMissingIds(knowledgeBaseIds, async (ids) => {
    const rows = await reader
      .selectFrom('knowledge_bases')
      .select('knowledge_base_id')
      .where('workspace_id', '=', workspaceId)
      .where('knowledge_base_id', 'in', ids)
      .execute()
    return rows.map((row) => row.knowledge_base_id)
  })
  return missing.map((id) => `The knowledge base "${id}" does not exist: it is skipped.`)
}

/** Returns warnings about missing secrets in tools or MCP servers. The definition must already be decrypted. */
export async function findSecretWarnings(reader: Reader, workspaceId: number, definition: object): Promise<string[]> {
  const missing = await findMissingIds(listToolTexts(definition).flatMap(findSecretNames), async (ids) => {
    const rows = await reader
      .selectFrom('workspace_secrets')
      .select('name')
      .where('workspace_id', '=', workspaceId)
      .where('name', 'in', ids)
      .execute()
    return rows.map((row) => row.name)
  })
  return missing.map((name) => `The secret "${name}" does not exist: tools that use it will fail.`)
}
