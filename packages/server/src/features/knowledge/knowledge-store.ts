import type { Crawl, KnowledgeBaseSummary } from '@parley/contract/knowledge-base'
import type { SearchMode } from '@parley/contract/knowledge-passage'
import { isAfterPosition, type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { KnowledgeBaseRow } from '../../tables/knowledge-tables.ts'
import { countSources, decideStatus, type SourceCounts } from './decide-status.ts'

const HOUR_MS = 3_600_000

/** What its owner sets of a knowledge base and may change. */
export interface KnowledgeSettings {
  readonly name: string
  readonly description: string
  readonly enableAutoRefresh: boolean
  readonly refreshIntervalHours: number
  readonly crawl: readonly Crawl[]
}

/** A knowledge base as it is stored, without its sources. */
export interface StoredBase extends KnowledgeSettings {
  readonly id: string
  readonly workspaceId: number
  readonly maxChunkSize: number
  readonly minChunkSize: number
  /** 0 while it is being made or removed: nobody sees it then. */
  readonly editCount: number
  readonly refreshedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Writes a knowledge base that nobody sees before it is shown: its content comes first, in steps. */
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

/** Makes a hidden knowledge base visible; false when it is gone. */
export async function showBase(transaction: Transaction, base: StoredBase, now: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('knowledge_bases')
    .set({ edit_count: 1, refresh_due_at: dueAt(base, now, now), created_at: now, updated_at: now })
    .where('knowledge_base_id', '=', base.id)
    .where('edit_count', '=', 0)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** `null` when it does not exist in the workspace. */
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

/** Newest first. */
export async function listBases(
  reader: Reader,
  workspaceId: number,
  { limit, after }: PageRequest,
): Promise<Page<StoredBase>> {
  const rows = await reader
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('edit_count', '>', 0)
    .where(isAfterPosition(after, 'created_at', 'knowledge_base_id'))
    .orderBy('created_at', 'desc')
    .orderBy('knowledge_base_id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, toBase, (row) => ({ at: row.created_at, id: row.knowledge_base_id }))
}

/** Counts as an edit. */
export async function saveSettings(
  transaction: Transaction,
  { id, refreshedAt, createdAt }: StoredBase,
  settings: KnowledgeSettings,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('knowledge_bases')
    .set((base) => ({
      ...toColumns(settings),
      refresh_due_at: dueAt(settings, refreshedAt ?? createdAt, now),
      edit_count: base('edit_count', '+', 1),
      updated_at: now,
    }))
    .where('knowledge_base_id', '=', id)
    .execute()
}

/** Says that its sources changed. `found`: so did what can be found. Units of work on the same one wait for each other here. */
export async function touchBase(
  transaction: Transaction,
  id: string,
  { now, found }: { readonly now: number; readonly found: boolean },
): Promise<void> {
  await transaction
    .updateTable('knowledge_bases')
    .set((base) => ({ updated_at: now, revision: base('revision', '+', found ? 1 : 0) }))
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

/** An interval after it was read last; one that has passed meanwhile is due at once. */
function dueAt(settings: KnowledgeSettings, readAt: number, now: number): number | null {
  if (!settings.enableAutoRefresh) return null
  return Math.max(now, readAt + settings.refreshIntervalHours * HOUR_MS)
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
