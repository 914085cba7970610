import type { Crawl } from '@parley/contract/knowledge-base'
import { MAX_SOURCES, SOURCE_STATUSES } from '@parley/contract/knowledge-source'
import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { KnowledgeBaseRow, KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { lockBase } from '../ingestion/ingest-finalize.ts'
import type { IngestionDependencies } from '../ingestion/ingest-job.ts'
import { buildIngestJob, PAGE_INTERVAL_MS } from '../ingestion/ingest-job.ts'
import { buildAliasIdentity, buildUrlIdentity } from '../sources/read-sources.ts'
import { buildUnreadSource } from '../sources/stage-content.ts'
import { type CrawlSite, isSitemap, isWithinSite, toPageUrl } from './crawl-scope.ts'

/** Pages per transaction. */
const PAGE_BATCH_SIZE = 50
/** Links per batch. */
const LINK_BATCH_SIZE = 200

type AddDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs'>

export function parseCrawlSites({ crawl }: Pick<KnowledgeBaseRow, 'crawl'>): readonly Crawl[] {
  return JSON.parse(crawl) as Crawl[]
}

/** Creates sources for linked pages within the site until a limit is reached. Returns the number of new sources. */
export async function addPages(
  dependencies: AddDependencies,
  knowledgeBaseId: string,
  { site, links }: { readonly site: Crawl; readonly links: readonly string[] },
): Promise<number> {
  const { read } = dependencies.database
  const capacity = await countRemainingPages(read, knowledgeBaseId, site)
  let addedCount = 0
  // Small batches prevent a long list from blocking other work.
  for (const batch of splitIntoChunks(links, LINK_BATCH_SIZE)) {
    if (addedCount >= capacity) break
    const candidates = selectPageLinks({ links: batch, site, knownIdentities: new Set(), remaining: LINK_BATCH_SIZE })
    const knownIdentities = await findKnownIdentities(read, knowledgeBaseId, candidates)
    const pages = selectPageLinks({
      links: candidates,
      site,
      knownIdentities,
      remaining: capacity - addedCount,
    })
    for (const pageBatch of splitIntoChunks(pages, PAGE_BATCH_SIZE)) {
      addedCount += await insertPages(dependencies, knowledgeBaseId, { site, pages: pageBatch, addedCount })
    }
  }
  return addedCount
}

async function findKnownIdentities(
  read: Reader,
  knowledgeBaseId: string,
  pages: readonly string[],
): Promise<Set<string>> {
  if (pages.length === 0) return new Set()
  const identityByAlias = new Map(
    pages.map(buildUrlIdentity).flatMap((identity): [string, string][] => [
      [identity, identity],
      [buildAliasIdentity(identity), identity],
    ]),
  )
  const rows = await read
    .selectFrom('knowledge_sources')
    .select('identity')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('identity', 'in', [...identityByAlias.keys()])
    .execute()
  return new Set(rows.map(({ identity }) => identityByAlias.get(identity) ?? identity))
}

/** Returns the number of pages that may still be added to the site. */
export async function countRemainingPages(
  read: Reader,
  knowledgeBaseId: string,
  { path, maxPages }: Crawl,
): Promise<number> {
  const rows = await read
    .selectFrom('knowledge_sources')
    .select(({ fn }) => ['crawl_path', fn.countAll<number>().as('sources')])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('status', 'in', SOURCE_STATUSES)
    // A sitemap may be listed as a source but does not count as a page.
    .where('identity', 'not in', isSitemap(path) ? [buildUrlIdentity(path)] : [''])
    .groupBy('crawl_path')
    .execute()
  const totalCount = rows.reduce((sum, { sources }) => sum + Number(sources), 0)
  const siteCount = Number(rows.find(({ crawl_path }) => crawl_path === path)?.sources ?? 0)
  return Math.max(0, Math.min(maxPages - siteCount, MAX_SOURCES - totalCount))
}

interface NewPages {
  readonly site: Crawl
  readonly pages: readonly string[]
  /** Number of pages added earlier in the same run. */
  readonly addedCount: number
}

async function insertPages(
  { database, clock, makeId, jobs }: AddDependencies,
  knowledgeBaseId: string,
  { site, pages, addedCount }: NewPages,
): Promise<number> {
  const now = clock.now()
  return await database.transaction(
    async (transaction) => {
      // Locks the knowledge base to enforce the limits.
      if (!(await lockBase(transaction, knowledgeBaseId, { affectsSearch: false, now }))) return 0
      const base = await findCrawledBase(transaction, knowledgeBaseId, site.path)
      if (base === null) return 0
      const remaining = await countRemainingPages(transaction, knowledgeBaseId, site)
      const rows = pages
        .slice(0, remaining)
        .map((url) => buildCrawledPage({ base, path: site.path, url, sourceId: makeId('source'), now }))
      if (rows.length === 0) return 0
      const insertedRows = await transaction
        .insertInto('knowledge_sources')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'identity']).doNothing())
        .returning(['source_id', 'reading_id'])
        .execute()
      for (const [index, { source_id, reading_id }] of insertedRows.entries()) {
        const runAt = now + (addedCount + index) * PAGE_INTERVAL_MS
        await jobs.enqueue(transaction, {
          ...buildIngestJob(source_id, reading_id, runAt),
          workspaceId: base.workspace_id,
        })
      }
      return insertedRows.length
    },
    { isolation: 'read-committed' },
  )
}

type CrawledBase = Pick<KnowledgeBaseRow, 'knowledge_base_id' | 'workspace_id'>

/** Finds the knowledge base. Returns null if it no longer exists or its owner has removed the site. */
async function findCrawledBase(
  transaction: Transaction,
  knowledgeBaseId: string,
  path: string,
): Promise<CrawledBase | null> {
  const base = await transaction
    .selectFrom('knowledge_bases')
    .select(['knowledge_base_id', 'workspace_id', 'crawl'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('edit_count', '>', 0)
    .executeTakeFirst()
  return base !== undefined && parseCrawlSites(base).some((site) => site.path === path) ? base : null
}

interface CrawledPage {
  readonly base: CrawledBase
  readonly path: string
  readonly url: string
  readonly sourceId: string
  readonly now: number
}

/** Builds the row of a crawled page that has not been read yet. */
export function buildCrawledPage({ base, path, url, sourceId, now }: CrawledPage): KnowledgeSourceRow {
  const { knowledge_base_id, workspace_id } = base
  const ids = { source_id: sourceId, knowledge_base_id, workspace_id, reading_id: sourceId }
  return buildUnreadSource({ ...ids, kind: 'url', url, identity: buildUrlIdentity(url), crawl_path: path }, now)
}

interface LinkSelection {
  /** Links from the page or sitemap. */
  readonly links: readonly string[]
  readonly site: CrawlSite
  /** Identities of existing sources. */
  readonly knownIdentities: ReadonlySet<string>
  /** Number of pages that may still be added. */
  readonly remaining: number
}

/** Selects the links to new pages within the site, in order. */
export function selectPageLinks({ links, site, knownIdentities, remaining }: LinkSelection): string[] {
  const newPages = new Set<string>()
  for (const link of links) {
    if (newPages.size >= remaining) break
    const page = toPageUrl(link)
    if (page !== null && !knownIdentities.has(buildUrlIdentity(page)) && isWithinSite(site, page)) newPages.add(page)
  }
  return [...newPages]
}
