import { type Crawl, MAX_CRAWL_PAGES } from '@parley/contract/knowledge-base'
import type { MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler, JobQueue } from '../../../kernel/work/jobs.ts'
import type { KnowledgeBaseRow } from '../../../tables/knowledge-tables.ts'
import { lockBase } from '../ingestion/ingest-finalize.ts'
import type { IngestionDependencies } from '../ingestion/ingest-job.ts'
import {
  buildCrawlJob,
  buildIngestJob,
  getRetryDelayMs,
  MAX_PAGE_ATTEMPTS,
  PAGE_INTERVAL_MS,
  readCrawlPayload,
} from '../ingestion/ingest-job.ts'
import { buildUrlIdentity } from '../sources/read-sources.ts'
import { addPages, buildCrawledPage, countRemainingPages, parseCrawlSites } from './crawl-add-pages.ts'
import { isSitemap } from './crawl-scope.ts'

/** Maximum number of sitemap URLs to examine. Exceeds the page limit, because some URLs are excluded or are not pages. */
const MAX_URLS = 20 * MAX_CRAWL_PAGES
const TIMEOUT_MS = 600_000

type CrawlDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs' | 'pages'>

/** Creates the job handler that finds a site's pages from its sitemap or its first page. */
export function createCrawlHandler(dependencies: CrawlDependencies): JobHandler {
  const { database } = dependencies
  return {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs: getRetryDelayMs,
    async run(job, signal) {
      const { knowledgeBaseId, path } = readCrawlPayload(job)
      const base = await database.read
        .selectFrom('knowledge_bases')
        .selectAll()
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('edit_count', '>', 0)
        .executeTakeFirst()
      const site = base === undefined ? undefined : parseCrawlSites(base).find((crawlSite) => crawlSite.path === path)
      if (base === undefined || site === undefined) return
      if (!isSitemap(path)) return await startAtFirstPage(dependencies, { base, site, job })
      const sitemap = await dependencies.pages.readSitemap(path, MAX_URLS, signal)
      signal.throwIfAborted()
      if (sitemap.ok) {
        await addPages(dependencies, knowledgeBaseId, { site, links: sitemap.urls })
        return await recordSitemapStatus(dependencies, { base, site, message: null })
      }
      if (sitemap.retryable && job.attempt < MAX_PAGE_ATTEMPTS)
        throw new Error('The sitemap could not be read. Try again later.')
      await recordSitemapStatus(dependencies, { base, site, message: sitemap.message })
    },
  }
}

/** Adds the site's first page. Its ingestion adds the pages that it links to. */
async function startAtFirstPage(
  dependencies: CrawlDependencies,
  { base, site, job }: { readonly base: KnowledgeBaseRow; readonly site: Crawl; readonly job: Job },
): Promise<void> {
  const { database } = dependencies
  const { knowledge_base_id } = base
  if ((await addPages(dependencies, knowledge_base_id, { site, links: [site.path] })) > 0) return
  if ((await countRemainingPages(database.read, knowledge_base_id, site)) === 0) return
  const row = await database.read
    .selectFrom('jobs')
    .select('created_at')
    .where('job_id', '=', job.jobId)
    .executeTakeFirst()
  if (row !== undefined) await rereadPages(dependencies, { base, site, readBefore: row.created_at })
}

/** Rereads pages that were read before the site was added or changed, because their links may belong to the site. */
async function rereadPages(
  { database, clock, makeId, jobs }: CrawlDependencies,
  { base, site, readBefore }: { readonly base: KnowledgeBaseRow; readonly site: Crawl; readonly readBefore: number },
): Promise<void> {
  await database.transaction(async (transaction) => {
    const pages = await transaction
      .selectFrom('knowledge_sources')
      .select('source_id')
      .where('knowledge_base_id', '=', base.knowledge_base_id)
      .where('status', '=', 'ready')
      .where('refreshed_at', '<', readBefore)
      .where((where) =>
        where.or([where('identity', '=', buildUrlIdentity(site.path)), where('crawl_path', '=', site.path)]),
      )
      .orderBy('created_at')
      .orderBy('source_id')
      .limit(MAX_CRAWL_PAGES)
      .execute()
    const ids = pages.map(({ source_id }) => source_id)
    if (ids.length === 0) return
    const now = clock.now()
    const runId = makeId('reading')
    await transaction
      .updateTable('knowledge_sources')
      .set({ status: 'refreshing', reading_id: runId, updated_at: now })
      // Clears the validators so that unchanged pages are read as well.
      .set({ etag: null, last_modified: null, content_hash: null })
      .where('source_id', 'in', ids)
      .execute()
    for (const [index, id] of ids.entries()) {
      const job = buildIngestJob(id, runId, now + index * PAGE_INTERVAL_MS)
      await jobs.enqueue(transaction, { ...job, workspaceId: base.workspace_id })
    }
  })
}

interface SitemapStatus {
  readonly base: KnowledgeBaseRow
  readonly site: Crawl
  /** The reason why the sitemap could not be read, or null on success. */
  readonly message: string | null
}

/** Replaces the source that shows the sitemap's last error. */
async function recordSitemapStatus(
  { database, clock, makeId }: CrawlDependencies,
  { base, site, message }: SitemapStatus,
): Promise<void> {
  const now = clock.now()
  const { knowledge_base_id } = base
  const page = buildCrawledPage({ base, path: site.path, url: site.path, sourceId: makeId('source'), now })
  await database.transaction(
    async (transaction) => {
      if (!(await lockBase(transaction, knowledge_base_id, { affectsSearch: false, now }))) return
      await transaction
        .deleteFrom('knowledge_sources')
        .where('knowledge_base_id', '=', knowledge_base_id)
        .where('identity', '=', page.identity)
        .where('crawl_path', '=', site.path)
        .where('generation', '=', 0)
        .execute()
      if (message === null) return
      await transaction
        .insertInto('knowledge_sources')
        .values({ ...page, status: 'error', error: message })
        .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'identity']).doNothing())
        .execute()
    },
    { isolation: 'read-committed' },
  )
}

interface NewSite {
  readonly knowledgeBaseId: string
  readonly workspaceId: number
  readonly site: Pick<Crawl, 'path'>
  /** Index of the site in the request, which determines its position in lists. */
  readonly siteIndex: number
  readonly now: number
}

/**
 * Starts crawling a site. Adds its first page or sitemap as a source immediately, so that the knowledge base is not ready
 * before the crawl.
 */
export async function startCrawl(
  transaction: Transaction,
  { knowledgeBaseId, workspaceId, site, siteIndex, now }: NewSite,
  { jobs, makeId }: { readonly jobs: Pick<JobQueue, 'enqueue'>; readonly makeId: MakeId },
): Promise<void> {
  const base = { knowledge_base_id: knowledgeBaseId, workspace_id: workspaceId }
  const firstPage = buildCrawledPage({ base, path: site.path, url: site.path, sourceId: makeId('source'), now })
  const page = { ...firstPage, created_at: now - 1 - siteIndex }
  const insertedPage = await transaction
    .insertInto('knowledge_sources')
    .values(page)
    .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'identity']).doNothing())
    .returning(['source_id', 'reading_id'])
    .executeTakeFirst()
  await jobs.enqueue(transaction, { ...buildCrawlJob(knowledgeBaseId, site.path), workspaceId })
  if (insertedPage !== undefined && !isSitemap(site.path)) {
    await jobs.enqueue(transaction, { ...buildIngestJob(insertedPage.source_id, insertedPage.reading_id), workspaceId })
  }
}
