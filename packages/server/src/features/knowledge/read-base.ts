import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { SearchMode } from '@parley/contract/knowledge-passage'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { NO_SOURCES } from './decide-status.ts'
import { findBase, type StoredBase, toSummary } from './knowledge-store.ts'
import { countByStatus, listSources } from './sources/source-store.ts'

/** Sources that are answered with their knowledge base. */
const MAX_SOURCES = 1000

/** Throws `not_found` when it does not exist in the workspace. */
export async function requireBase(reader: Reader, workspaceId: number, id: string): Promise<StoredBase> {
  const found = await findBase(reader, workspaceId, id)
  if (found === null) throw notFound('knowledge base', id)
  return found
}

/** A knowledge base with its newest sources. Throws `not_found` when it does not exist in the workspace. */
export async function readBase(
  reader: Reader,
  {
    workspaceId,
    id,
    searchMode,
  }: { readonly workspaceId: number; readonly id: string; readonly searchMode: SearchMode },
): Promise<WithEditCount<KnowledgeBase>> {
  // The counts first, since the status follows from them: what settles later then only makes the rest newer than the status.
  const counts = await countByStatus(reader, [id])
  const { items } = await listSources(reader, { knowledgeBaseId: id }, { limit: MAX_SOURCES, after: null })
  const base = await requireBase(reader, workspaceId, id)
  const summary = toSummary(base, counts.get(id) ?? NO_SOURCES, searchMode)
  return { answer: { ...summary, sources: [...items] }, editCount: base.editCount }
}
