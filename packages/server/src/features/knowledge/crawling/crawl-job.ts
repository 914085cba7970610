import { type Crawl, MAX_CRAWL_PAGES } from '@parley/contract/knowledge-base'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { KnowledgeBaseRow } from '../../../tables/knowledge-tables.ts'
import { lockBase } from '../ingestion/ingest-finalize.ts'
import { ingestJob, readCrawlPayload } from '../ingestion/ingest-job.ts'
import type { IngestionDependencies } from '../ingestion/ingest-ports.ts'
import { PAGE_ATTEMPTS, PAGE_INTERVAL_MS, retryDelayMs } from '../ingestion/ingest-retries.ts'
import { urlIdentity } from '../sources/source-identity.ts'
import { addPages, countRemaining, crawledPage, sitesOf } from './crawl-add-pages.ts'
import { isSitemap } from './crawl-scope.ts'

/** Addresses of a sitemap that are looked at: some are excluded, some are no pages. */
const MAX_URLS = 20 * MAX_CRAWL_PAGES
const TIMEOUT_MS = 600_000

type CrawlDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs' | 'pages'>

/** Looks for the first pages of a site: all that a sitemap names, or the one that the others are linked from. */
export function createCrawlHandler(dependencies: CrawlDependencies): JobHandler {
  const { database } = dependencies
  return {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs,
    async run(job, signal) {
      const { knowledgeBaseId, path } = readCrawlPayload(job)
      const base = await database.read
        .selectFrom('knowledge_bases')
        .selectAll()
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('edit_count', '>', 0)
        .executeTakeFirst()
      const site = base === undefined ? undefined : sitesOf(base).find((one) => one.path === path)
      if (base === undefined || site === undefined) return
      if (!isSitemap(path)) return await startAtPage(dependencies, { base, site, job })
      const sitemap = await dependencies.pages.readSitemap(path, MAX_URLS, signal)
      signal.throwIfAborted()
      if (sitemap.ok) {
        await addPages(dependencies, knowledgeBaseId, { site, links: sitemap.urls })
        return await recordSitemapStatus(dependencies, { base, site, message: null })
      }
      if (sitemap.retryable && job.attempt < PAGE_ATTEMPTS) throw new Error('The sitemap cannot be read now.')
      await recordSitemapStatus(dependencies, { base, site, message: sitemap.message })
    },
  }
}

/** The others follow when it is read. */
async function startAtPage(
  dependencies: CrawlDependencies,
  { base, site, job }: { readonly base: KnowledgeBaseRow; readonly site: Crawl; readonly job: Job },
): Promise<void> {
  const { database } = dependencies
  const { knowledge_base_id } = base
  if ((await addPages(dependencies, knowledge_base_id, { site, links: [site.path] })) > 0) return
  if ((await countRemaining(database.read, knowledge_base_id, site)) === 0) return
  const row = await database.read
    .selectFrom('jobs')
    .select('created_at')
    .where('job_id', '=', job.jobId)
    .executeTakeFirst()
  if (row !== undefined) await readForLinks(dependencies, { base, site, before: row.created_at })
}

/**
 * Pages that were read before the site was named, or when it was a smaller one, are read once more for their links. Those of
 * a refresh are being read anyway.
 */
async function readForLinks(
  { database, clock, makeId, jobs }: CrawlDependencies,
  { base, site, before }: { readonly base: KnowledgeBaseRow; readonly site: Crawl; readonly before: number },
): Promise<void> {
  await database.transaction(async (transaction) => {
    const pages = await transaction
      .selectFrom('knowledge_sources')
      .select('source_id')
      .where('knowledge_base_id', '=', base.knowledge_base_id)
      .where('status', '=', 'ready')
      .where('refreshed_at', '<', before)
      .where((where) => where.or([where('identity', '=', urlIdentity(site.path)), where('crawl_path', '=', site.path)]))
      .orderBy('created_at')
      .orderBy('source_id')
      .limit(MAX_CRAWL_PAGES)
      .execute()
    const ids = pages.map(({ source_id }) => source_id)
    if (ids.length === 0) return
    const now = clock.now()
    const readingId = makeId('reading')
    await transaction
      .updateTable('knowledge_sources')
      .set({ status: 'refreshing', reading_id: readingId, updated_at: now })
      // Unchanged as they may be.
      .set({ etag: null, last_modified: null, content_hash: null })
      .where('source_id', 'in', ids)
      .execute()
    for (const [index, id] of ids.entries()) {
      const job = ingestJob(id, readingId, now + index * PAGE_INTERVAL_MS)
      await jobs.enqueue(transaction, { ...job, workspaceId: base.workspace_id })
    }
  })
}

interface SitemapStatus {
  readonly base: KnowledgeBaseRow
  readonly site: Crawl
  /** Why it could not be read; `null` when it could. */
  readonly message: string | null
}

/** A sitemap that cannot be read stands among the sources, with the reason, until it can. */
async function recordSitemapStatus(
  { database, clock, makeId }: CrawlDependencies,
  { base, site, message }: SitemapStatus,
): Promise<void> {
  const now = clock.now()
  const { knowledge_base_id } = base
  const page = crawledPage({ base, path: site.path, url: site.path, sourceId: makeId('source'), now })
  await database.transaction(
    async (transaction) => {
      if (!(await lockBase(transaction, knowledge_base_id, { found: false, now }))) return
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
