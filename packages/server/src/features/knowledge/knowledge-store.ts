import type { Crawl, KnowledgeBase, KnowledgeBaseSummary } from '@parley/contract/knowledge-base'
import type { SearchMode } from '@parley/contract/knowledge-passage'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { KnowledgeBaseRow } from '../../tables/knowledge-tables.ts'
import { countSources, decideStatus, NO_SOURCES, type SourceCounts } from './decide-status.ts'
import { countByStatus, listSources } from './sources/source-store.ts'

/** Maximum number of sources returned with their knowledge base. */
const MAX_SOURCES = 1000

/** Returns the row of a knowledge base. Throws `not_found` if the workspace has no such knowledge base. */
export async function requireBase(reader: Reader, workspaceId: number, id: string): Promise<StoredBase> {
  const base = await findBase(reader, workspaceId, id)
  if (base === null) throw notFound('knowledge base', id)
  return base
}

/** Reads a knowledge base with its newest sources. Throws `not_found` if the workspace has no such knowledge base. */
export async function readBase(
  reader: Reader,
  {
    workspaceId,
    id,
    searchMode,
  }: { readonly workspaceId: number; readonly id: string; readonly searchMode: SearchMode },
): Promise<WithEditCount<KnowledgeBase>> {
  // Reads the counts first, so that the sources are at least as recent as the status.
  const counts = await countByStatus(reader, [id])
  const { items } = await listSources(reader, { knowledgeBaseId: id }, { limit: MAX_SOURCES, after: null })
  const base = await requireBase(reader, workspaceId, id)
  const summary = toSummary(base, counts.get(id) ?? NO_SOURCES, searchMode)
  return { response: { ...summary, sources: [...items] }, editCount: base.editCount }
}

const HOUR_MS = 3_600_000

/** The editable settings of a knowledge base. */
export interface KnowledgeSettings {
  readonly name: string
  readonly description: string
  readonly enableAutoRefresh: boolean
  readonly refreshIntervalHours: number
  readonly crawl: readonly Crawl[]
}

/** A stored knowledge base without its sources. */
export interface StoredBase extends KnowledgeSettings {
  readonly id: string
  readonly workspaceId: number
  readonly maxChunkSize: number
  readonly minChunkSize: number
  /** Number of edits, or 0 while the knowledge base is hidden during its creation or removal. */
  readonly editCount: number
  readonly refreshedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Inserts a hidden knowledge base. Its content is written in steps before the knowledge base becomes visible. */
export async function insertHiddenBase(transaction: Transaction, base: StoredBase): Promise<void> {
  await transaction
    .insertInto('knowledge_bases')
    .values({
      knowledge_base_id: base.id,
      workspace_id: base.workspaceId,
      ...toColumns(base),
      max_chunk_size: base.maxChunkSize,
      min_chunk_size: base.minChunkSize,
      revision: 0,
      edit_count: 0,
      refreshed_at: null,
      refresh_due_at: null,
      created_at: base.createdAt,
      updated_at: base.createdAt,
    })
    .execute()
}

/** Makes a hidden knowledge base visible. Returns false if it no longer exists. */
export async function publishBase(transaction: Transaction, base: StoredBase, now: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('knowledge_bases')
    .set({ edit_count: 1, refresh_due_at: computeNextRefresh(base, now, now), created_at: now, updated_at: now })
    .where('knowledge_base_id', '=', base.id)
    .where('edit_count', '=', 0)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Finds a knowledge base, or returns null if the workspace has no such knowledge base. */
export async function findBase(reader: Reader, workspaceId: number, id: string): Promise<StoredBase | null> {
  const row = await reader
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('knowledge_base_id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('edit_count', '>', 0)
    .executeTakeFirst()
  return row === undefined ? null : toBase(row)
}

/** Lists the knowledge bases of a workspace, newest first. */
export async function listBases(reader: Reader, workspaceId: number, page: PageRequest): Promise<Page<StoredBase>> {
  const query = reader
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('edit_count', '>', 0)
  return await readNewest(query, page, ['created_at', 'knowledge_base_id'], toBase)
}

/** Stores changed settings and counts the edit. */
export async function saveSettings(
  transaction: Transaction,
  { id, refreshedAt, createdAt }: StoredBase,
  settings: KnowledgeSettings,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('knowledge_bases')
    .set((column) => ({
      ...toColumns(settings),
      refresh_due_at: computeNextRefresh(settings, refreshedAt ?? createdAt, now),
      edit_count: column('edit_count', '+', 1),
      updated_at: now,
    }))
    .where('knowledge_base_id', '=', id)
    .execute()
}

/** Records a change to the sources. Increases the revision if search results change. Locks the knowledge base for the transaction. */
export async function touchBase(
  transaction: Transaction,
  id: string,
  { now, affectsSearch }: { readonly now: number; readonly affectsSearch: boolean },
): Promise<void> {
  await transaction
    .updateTable('knowledge_bases')
    .set((column) => ({ updated_at: now, revision: column('revision', '+', affectsSearch ? 1 : 0) }))
    .where('knowledge_base_id', '=', id)
    .execute()
}

export function toSummary(base: StoredBase, counts: SourceCounts, searchMode: SearchMode): KnowledgeBaseSummary {
  return {
    knowledgeBaseId: base.id,
    workspaceId: base.workspaceId,
    name: base.name,
    description: base.description,
    status: decideStatus(counts),
    sourceCount: countSources(counts),
    chunkCount: counts.chunks,
    searchMode,
    enableAutoRefresh: base.enableAutoRefresh,
    refreshIntervalHours: base.refreshIntervalHours,
    crawl: [...base.crawl],
    maxChunkSize: base.maxChunkSize,
    minChunkSize: base.minChunkSize,
    lastRefreshedAt: base.refreshedAt === null ? null : new Date(base.refreshedAt).toISOString(),
    createdAt: new Date(base.createdAt).toISOString(),
    updatedAt: new Date(base.updatedAt).toISOString(),
  }
}

/**
 * Returns the time of the next refresh, one interval after the last one but not in the past. Returns null if automatic refresh
 * is off.
 */
function computeNextRefresh(settings: KnowledgeSettings, refreshedAt: number, now: number): number | null {
  if (!settings.enableAutoRefresh) return null
  return Math.max(now, refreshedAt + settings.refreshIntervalHours * HOUR_MS)
}

function toColumns(settings: KnowledgeSettings) {
  return {
    name: settings.name,
    description: settings.description,
    auto_refresh: settings.enableAutoRefresh ? 1 : 0,
    refresh_hours: settings.refreshIntervalHours,
    crawl: JSON.stringify(settings.crawl),
  } as const
}

function toBase(row: KnowledgeBaseRow): StoredBase {
  return {
    id: row.knowledge_base_id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    enableAutoRefresh: row.auto_refresh === 1,
    refreshIntervalHours: row.refresh_hours,
    crawl: JSON.parse(row.crawl) as Crawl[],
    maxChunkSize: row.max_chunk_size,
    minChunkSize: row.min_chunk_size,
    editCount: row.edit_count,
    refreshedAt: row.refreshed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
