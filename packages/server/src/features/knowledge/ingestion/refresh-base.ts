import type { Crawl } from '@parley/contract/knowledge-base'
import type { MakeId } from '@parley/engine/ports'
import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { Transaction } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import { isSitemap } from '../crawling/crawl-scope.ts'
import { ALIAS } from '../sources/read-sources.ts'
import { buildCrawlJob, buildIngestJob, PAGE_INTERVAL_MS } from './ingest-job.ts'

/** Ids per statement. */
const ID_BATCH_SIZE = 400
const HOUR_MS = 3_600_000

interface BaseRefresh {
  readonly knowledgeBaseId: string
  /** Sources to refresh, or undefined to refresh all sources and sites. */
  readonly sourceIds?: readonly string[] | undefined
  readonly now: number
}

interface RefreshDependencies {
  readonly jobs: Pick<JobQueue, 'enqueue'>
  readonly makeId: MakeId
}

/**
 * Queues jobs that reread the pages and failed sources of a knowledge base. Skips sources that are being read. Returns the
 * number of queued sources.
 */
export async function refreshBase(
  transaction: Transaction,
  { knowledgeBaseId, sourceIds, now }: BaseRefresh,
  { jobs, makeId }: RefreshDependencies,
): Promise<number> {
  const base = await transaction
    .selectFrom('knowledge_bases')
    .select(['workspace_id', 'auto_refresh', 'refresh_hours', 'crawl'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirst()
  if (base === undefined) return 0
  const workspaceId = base.workspace_id
  const isFullRefresh = sourceIds === undefined
  const refresh_due_at = base.auto_refresh === 1 ? now + base.refresh_hours * HOUR_MS : null
  await transaction
    .updateTable('knowledge_bases')
    .set({ refreshed_at: now, ...(isFullRefresh && { refresh_due_at }) })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .execute()
  const sources = await findReadableSources(transaction, knowledgeBaseId, sourceIds)
  const runId = makeId('reading')
  const ids = sources.map(({ source_id }) => source_id)
  await markAsInProgress(transaction, ids, { runId, now })
  const pageCounts = new Map<string, number>()
  for (const { source_id, url } of sources) {
    const host = URL.parse(url ?? '')?.host ?? ''
    const hostPageCount = pageCounts.get(host) ?? 0
    pageCounts.set(host, hostPageCount + 1)
    const runAt = url === null ? now : now + hostPageCount * PAGE_INTERVAL_MS
    await jobs.enqueue(transaction, { ...buildIngestJob(source_id, runId, runAt), workspaceId })
  }
  if (isFullRefresh) {
    // Removes redirected pages, so that the crawl checks them again.
    await transaction
      .deleteFrom('knowledge_sources')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('status', '=', ALIAS)
      .execute()
    for (const { path } of JSON.parse(base.crawl) as Crawl[]) {
      await jobs.enqueue(transaction, { ...buildCrawlJob(knowledgeBaseId, path), workspaceId })
    }
  }
  return sources.length
}

interface ReadableSource {
  readonly source_id: string
  readonly url: string | null
}

/** Finds sources that can be read again and are not being read. */
async function findReadableSources(
  transaction: Transaction,
  knowledgeBaseId: string,
  sourceIds: readonly string[] | undefined,
): Promise<ReadableSource[]> {
  const rows = await transaction
    .selectFrom('knowledge_sources as source')
    .select(['source.source_id', 'source.url', 'source.crawl_path'])
    .where('source.knowledge_base_id', '=', knowledgeBaseId)
    .where('source.status', 'in', ['ready', 'error'])
    .where((where) =>
      where.or([
        where('source.kind', '=', 'url'),
        where.and([
          where('source.status', '=', 'error'),
          where.exists(
            where
              .selectFrom('knowledge_originals as original')
              .select('original.part')
              .whereRef('original.source_id', '=', 'source.source_id')
              .where('original.part', '=', 0),
          ),
        ]),
      ]),
    )
    .orderBy('source.source_id')
    .execute()
  const selectedIds = sourceIds === undefined ? null : new Set(sourceIds)
  // Skips sitemaps, which are read by crawl jobs.
  return rows.filter(
    ({ source_id, url, crawl_path }) =>
      (selectedIds === null || selectedIds.has(source_id)) && !(url !== null && url === crawl_path && isSitemap(url)),
  )
}

async function markAsInProgress(
  transaction: Transaction,
  ids: readonly string[],
  { runId, now }: { readonly runId: string; readonly now: number },
): Promise<void> {
  const runColumns = { reading_id: runId, updated_at: now }
  for (const batch of splitIntoChunks(ids, ID_BATCH_SIZE)) {
    await transaction
      .updateTable('knowledge_sources')
      .set({ ...runColumns, status: 'processing', error: null })
      .where('source_id', 'in', batch)
      .where('generation', '=', 0)
      .execute()
    await transaction
      .updateTable('knowledge_sources')
      .set({ ...runColumns, status: 'refreshing' })
      .where('source_id', 'in', batch)
      .where('generation', '>', 0)
      .execute()
  }
}
