import type { Reader } from '../../kernel/storage/database.ts'
import { findMissing } from './missing-references.ts'

/** Sentences about agents that are named but do not exist in the workspace: hand-overs to them fail. */
export async function agentWarnings(reader: Reader, workspaceId: number, named: readonly string[]): Promise<string[]> {
  const missing = await findMissing(named, async (some) => {
    const rows = await reader
      .selectFrom('resources')
      .select('resource_id')
      .where('workspace_id', '=', workspaceId)
      .where('kind', 'in', ['agent', 'chat-agent'])
      .where('resource_id', 'in', some)
      .execute()
    return rows.map((row) => row.resource_id)
  })
  return missing.map((id) => `The agent "${id}" does not exist: a hand-over to it fails.`)
}
