import type { MakeId } from '@parley/engine/ports'
import { type SelectQueryBuilder, sql } from 'kysely'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { JobQueue } from '../../kernel/work/jobs.ts'
import type { Tables } from '../../tables/tables.ts'

/** Status of a hidden source whose content is being removed. Searches ignore the source. */
export const REMOVED = 'removed'
export const REMOVE_JOB = 'knowledge-remove'

/** Limits per transaction, so that other writes do not wait long. */
export interface RemovalLimits {
  readonly sources: number
  readonly chunks: number
  /** Maximum number of stored parts of originals and of indexes. Each part is about 1 MB. */
  readonly parts: number
}

/** Maximum number of values per list in a statement. */
const BATCH_SIZE = 500

export const REMOVAL_LIMITS: RemovalLimits = { sources: BATCH_SIZE, chunks: 10_000, parts: 200 }

export interface RemovalContext {
  readonly jobs: Pick<JobQueue, 'enqueue'>
  readonly makeId: MakeId
  readonly limits: RemovalLimits
}

/** Selected sources of a knowledge base, or all of them if `sourceIds` is null. */
interface SourceSelection {
  readonly knowledgeBaseId: string
  readonly sourceIds: readonly string[] | null
}

/**
 * Removes sources with their content. If the content is large, hides the sources and queues a job that removes them one by one.
 * The caller updates the revision.
 */
export async function removeSources(
  transaction: Transaction,
  removal: RemovalContext,
  selection: SourceSelection,
): Promise<void> {
  if (await exceedsLimits(transaction, selection, removal.limits))
    return await hideSources(transaction, removal, selection)
  await removeUnusedVectors(transaction, selection)
  await filterBySelection(transaction.deleteFrom('knowledge_sources'), selection).execute()
}

/** Removes a small knowledge base immediately. Hides a large one and queues a job that removes it. */
export async function removeBase(
  transaction: Transaction,
  removal: RemovalContext,
  knowledgeBaseId: string,
): Promise<void> {
  const selection = { knowledgeBaseId, sourceIds: null }
  if (await exceedsLimits(transaction, selection, removal.limits)) {
    await transaction
      .updateTable('knowledge_bases')
      .set((column) => ({
        edit_count: 0,
        auto_refresh: 0,
        refresh_due_at: null,
        crawl: '[]',
        revision: column('revision', '+', 1),
      }))
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .execute()
    return await hideSources(transaction, removal, selection)
  }
  await transaction.deleteFrom('knowledge_bases').where('knowledge_base_id', '=', knowledgeBaseId).execute()
}

async function hideSources(
  transaction: Transaction,
  { jobs, makeId }: RemovalContext,
  selection: SourceSelection,
): Promise<void> {
  const runId = makeId('reading')
  for (const part of splitIntoBatches(selection)) {
    const sources = transaction.updateTable('knowledge_sources').set({
      status: REMOVED,
      // Allows the same document to be added again.
      identity: sql<string>`${`${REMOVED}:`} || source_id`,
      crawl_path: null,
      generation: 0,
      reading_id: runId,
    })
    await filterBySelection(sources, part).execute()
  }
  const { knowledgeBaseId } = selection
  const { workspace_id: workspaceId } = await transaction
    .selectFrom('knowledge_bases')
    .select('workspace_id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirstOrThrow()
  await jobs.enqueue(transaction, { kind: REMOVE_JOB, payload: { knowledgeBaseId }, workspaceId })
}

function splitIntoBatches({ knowledgeBaseId, sourceIds }: SourceSelection): SourceSelection[] {
  if (sourceIds === null) return [{ knowledgeBaseId, sourceIds }]
  return splitIntoChunks(sourceIds, BATCH_SIZE).map((batch) => ({ knowledgeBaseId, sourceIds: batch }))
}

interface FilterableQuery<Query> {
  where(column: 'knowledge_base_id', operator: '=', value: string): Query
  where(column: 'source_id', operator: 'in', values: readonly string[]): Query
}

function filterBySelection<Query extends FilterableQuery<Query>>(
  query: Query,
  { knowledgeBaseId, sourceIds }: SourceSelection,
): Query {
  const baseQuery = query.where('knowledge_base_id', '=', knowledgeBaseId)
  return sourceIds === null ? baseQuery : baseQuery.where('source_id', 'in', sourceIds)
}

async function exceedsLimits(
  transaction: Transaction,
  selection: SourceSelection,
  limits: RemovalLimits,
): Promise<boolean> {
  if (selection.sourceIds !== null && selection.sourceIds.length > Math.min(limits.sources, BATCH_SIZE)) return true
  const ids = filterBySelection(transaction.selectFrom('knowledge_sources').select('source_id'), selection)
  const chunks = transaction.selectFrom('knowledge_chunks').where('source_id', 'in', ids)
  const originals = transaction.selectFrom('knowledge_originals').where('source_id', 'in', ids)
  const indexParts = transaction.selectFrom('knowledge_index_parts').where('source_id', 'in', ids)
  return (
    (await hasMoreRows(ids, limits.sources)) ||
    (await hasMoreRows(chunks.select('source_id'), limits.chunks)) ||
    (await hasMoreRows(originals.select('source_id'), limits.parts)) ||
    (await hasMoreRows(indexParts.select('source_id'), limits.parts))
  )
}

type RowQuery = Pick<SelectQueryBuilder<Tables, never, { source_id: string }>, 'limit'>

/** Whether there are more rows than the limit allows. */
async function hasMoreRows(query: RowQuery, limit: number): Promise<boolean> {
  return (await query.limit(1).offset(limit).executeTakeFirst()) !== undefined
}

/** Removes the vectors of texts that only these sources contain. */
async function removeUnusedVectors(
  transaction: Transaction,
  { knowledgeBaseId, sourceIds }: SourceSelection,
): Promise<void> {
  if (sourceIds === null) {
    await transaction.deleteFrom('knowledge_vectors').where('knowledge_base_id', '=', knowledgeBaseId).execute()
    return
  }
  await transaction
    .deleteFrom('knowledge_vectors')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('content_hash', 'in', (query) =>
      query.selectFrom('knowledge_chunks').select('content_hash').where('source_id', 'in', sourceIds),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('knowledge_chunks as chunk')
            .innerJoin('knowledge_sources as source', 'source.source_id', 'chunk.source_id')
            .select('chunk.source_id')
            .whereRef('chunk.content_hash', '=', 'knowledge_vectors.content_hash')
            .where('source.knowledge_base_id', '=', knowledgeBaseId)
            .where('source.source_id', 'not in', sourceIds),
        ),
      ),
    )
    .execute()
}

/** Removes one hidden source with its content. Returns false if there are no hidden sources. */
export async function purgeNextSource(database: Database, knowledgeBaseId: string): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const row = await transaction
      .selectFrom('knowledge_sources')
      .select('source_id')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('status', '=', REMOVED)
      .limit(1)
      .executeTakeFirst()
    if (row === undefined) return false
    const sourceIds = [row.source_id]
    await removeUnusedVectors(transaction, { knowledgeBaseId, sourceIds })
    await transaction.deleteFrom('knowledge_sources').where('source_id', 'in', sourceIds).execute()
    return true
  })
}

/** Removes a hidden knowledge base. Does nothing if the knowledge base is visible or still has sources. */
export async function removeHiddenBase(database: Database, knowledgeBaseId: string): Promise<void> {
  const query = database.queryBuilder
    .deleteFrom('knowledge_bases')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('edit_count', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('knowledge_sources')
            .select('source_id')
            .whereRef('knowledge_sources.knowledge_base_id', '=', 'knowledge_bases.knowledge_base_id'),
        ),
      ),
    )
    .compile()
  await database.batch([{ query }])
}
