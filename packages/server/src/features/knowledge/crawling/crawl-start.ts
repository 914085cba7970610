import type { Crawl } from '@parley/contract/knowledge-base'
import type { MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import { crawlJob, ingestJob } from '../ingestion/ingest-job.ts'
import { crawledPage } from './crawl-add-pages.ts'
import { isSitemap } from './crawl-scope.ts'

interface NewSite {
  readonly knowledgeBaseId: string
  readonly workspaceId: number
  readonly site: Pick<Crawl, 'path'>
  /** Among the sites of a request: lists have them after what was added with them, in their order. */
  readonly siteIndex: number
  readonly now: number
}

/**
 * Begins to look for the pages of a site. Its first page stands among the sources at once, a sitemap until it has been read, so
 * that the knowledge base is not taken for ready before anything was looked at.
 */
export async function startSite(
  transaction: Transaction,
  { knowledgeBaseId, workspaceId, site, siteIndex, now }: NewSite,
  { jobs, makeId }: { readonly jobs: Pick<JobQueue, 'enqueue'>; readonly makeId: MakeId },
): Promise<void> {
  const base = { knowledge_base_id: knowledgeBaseId, workspace_id: workspaceId }
  const first = crawledPage({ base, path: site.path, url: site.path, sourceId: makeId('source'), now })
  const page = { ...first, created_at: now - 1 - siteIndex }
  const added = await transaction
    .insertInto('knowledge_sources')
    .values(page)
    .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'identity']).doNothing())
    .returning(['source_id', 'reading_id'])
    .executeTakeFirst()
  await jobs.enqueue(transaction, { ...crawlJob(knowledgeBaseId, site.path), workspaceId })
  if (added !== undefined && !isSitemap(site.path)) {
    await jobs.enqueue(transaction, { ...ingestJob(added.source_id, added.reading_id), workspaceId })
  }
}
