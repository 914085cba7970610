import { findSecretNames } from '@parley/contract/secret-reference'
import type { Reader } from '../../kernel/storage/database.ts'
import { toolTexts } from './tool-secrets.ts'

/** Named in warnings at most. */
const MAX_NAMED = 20
/** Names that one statement looks up. */
const NAMES_PER_QUERY = 200

/** Warnings about secrets that tools or MCP servers name but the workspace does not have. Takes an opened definition. */
export async function secretWarnings(reader: Reader, workspaceId: number, definition: object): Promise<string[]> {
  const names = [...new Set(toolTexts(definition).flatMap(findSecretNames))]
  const missing: string[] = []
  for (let start = 0; start < names.length && missing.length < MAX_NAMED; start += NAMES_PER_QUERY) {
    const some = names.slice(start, start + NAMES_PER_QUERY)
    const rows = await reader
      .selectFrom('workspace_secrets')
      .select('name')
      .where('workspace_id', '=', workspaceId)
      .where('name', 'in', some)
      .execute()
    const known = new Set(rows.map((row) => row.name))
    missing.push(...some.filter((name) => !known.has(name)))
  }
  return missing
    .slice(0, MAX_NAMED)
    .map((name) => `The secret "${name}" does not exist: calls of the tools that name it fail.`)
}
