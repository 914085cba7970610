import type { Crawl } from '@parley/contract/knowledge-base'
import { MAX_SOURCES, SOURCE_STATUSES } from '@parley/contract/knowledge-source'
import type { Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { KnowledgeBaseRow, KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { lockBase } from '../ingestion/ingest-finalize.ts'
import { ingestJob } from '../ingestion/ingest-job.ts'
import type { IngestionDependencies } from '../ingestion/ingest-ports.ts'
import { PAGE_INTERVAL_MS } from '../ingestion/ingest-retries.ts'
import { aliasIdentity, urlIdentity } from '../sources/source-identity.ts'
import { decideLinks } from './crawl-decide-links.ts'
import { isSitemap } from './crawl-scope.ts'

/** Written in one unit of work. */
const PAGE_BATCH_SIZE = 50
/** Looked at in one go. */
const LINK_BATCH_SIZE = 200

type AddDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs'>

/** Sites of a knowledge base. */
export function sitesOf({ crawl }: Pick<KnowledgeBaseRow, 'crawl'>): readonly Crawl[] {
  return JSON.parse(crawl) as Crawl[]
}

/** Makes sources of the pages that links lead to, as far as they belong to the site and there is room. Returns how many. */
export async function addPages(
  dependencies: AddDependencies,
  knowledgeBaseId: string,
  { site, links }: { readonly site: Crawl; readonly links: readonly string[] },
): Promise<number> {
  const { read } = dependencies.database
  const capacity = await countRemaining(read, knowledgeBaseId, site)
  let added = 0
  // A bounded number at a time, so that nothing else waits for long while a list is long.
  for (let from = 0; from < links.length && added < capacity; from += LINK_BATCH_SIZE) {
    const some = links.slice(from, from + LINK_BATCH_SIZE)
    const candidates = decideLinks({ links: some, site, known: new Set(), remaining: LINK_BATCH_SIZE })
    const known = await findKnown(read, knowledgeBaseId, candidates)
    const pages = decideLinks({ links: candidates, site, known, remaining: capacity - added })
    for (let first = 0; first < pages.length; first += PAGE_BATCH_SIZE) {
      const next = pages.slice(first, first + PAGE_BATCH_SIZE)
      added += await insertPages(dependencies, knowledgeBaseId, { site, pages: next, before: added })
    }
  }
  return added
}

async function findKnown(read: Reader, knowledgeBaseId: string, pages: readonly string[]): Promise<Set<string>> {
  if (pages.length === 0) return new Set()
  const names = new Map(
    pages.map(urlIdentity).flatMap((identity): [string, string][] => [
      [identity, identity],
      [aliasIdentity(identity), identity],
    ]),
  )
  const rows = await read
    .selectFrom('knowledge_sources')
    .select('identity')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('identity', 'in', [...names.keys()])
    .execute()
  return new Set(rows.map(({ identity }) => names.get(identity) ?? identity))
}

/** How many pages the site may still add. */
export async function countRemaining(
  read: Reader,
  knowledgeBaseId: string,
  { path, maxPages }: Crawl,
): Promise<number> {
  const rows = await read
    .selectFrom('knowledge_sources')
    .select(({ fn }) => ['crawl_path', fn.countAll<number>().as('sources')])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('status', 'in', SOURCE_STATUSES)
    // A sitemap is no page, although it may stand among them.
    .where('identity', 'not in', isSitemap(path) ? [urlIdentity(path)] : [''])
    .groupBy('crawl_path')
    .execute()
  const all = rows.reduce((sum, { sources }) => sum + Number(sources), 0)
  const ofSite = Number(rows.find(({ crawl_path }) => crawl_path === path)?.sources ?? 0)
  return Math.max(0, Math.min(maxPages - ofSite, MAX_SOURCES - all))
}

interface NewPages {
  readonly site: Crawl
  readonly pages: readonly string[]
  /** Added in the same go before. */
  readonly before: number
}

async function insertPages(
  { database, clock, makeId, jobs }: AddDependencies,
  knowledgeBaseId: string,
  { site, pages, before }: NewPages,
): Promise<number> {
  const now = clock.now()
  return await database.transaction(
    async (transaction) => {
      // Others that add pages to it take turns, so that the limits hold.
      if (!(await lockBase(transaction, knowledgeBaseId, { found: false, now }))) return 0
      const base = await findCrawledBase(transaction, knowledgeBaseId, site.path)
      if (base === null) return 0
      const remaining = await countRemaining(transaction, knowledgeBaseId, site)
      const rows = pages
        .slice(0, remaining)
        .map((url) => crawledPage({ base, path: site.path, url, sourceId: makeId('source'), now }))
      if (rows.length === 0) return 0
      const added = await transaction
        .insertInto('knowledge_sources')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['knowledge_base_id', 'identity']).doNothing())
        .returning(['source_id', 'reading_id'])
        .execute()
      for (const [index, { source_id, reading_id }] of added.entries()) {
        const runAt = now + (before + index) * PAGE_INTERVAL_MS
        await jobs.enqueue(transaction, { ...ingestJob(source_id, reading_id, runAt), workspaceId: base.workspace_id })
      }
      return added.length
    },
    { isolation: 'read-committed' },
  )
}

type CrawledBase = Pick<KnowledgeBaseRow, 'knowledge_base_id' | 'workspace_id'>

/** `null` when its owner has taken the site out. */
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
  return base !== undefined && sitesOf(base).some((site) => site.path === path) ? base : null
}

interface CrawledPage {
  readonly base: CrawledBase
  readonly path: string
  readonly url: string
  readonly sourceId: string
  readonly now: number
}

/** A page of a site that was not read yet. */
export function crawledPage({ base, path, url, sourceId, now }: CrawledPage): KnowledgeSourceRow {
  return {
    source_id: sourceId,
    knowledge_base_id: base.knowledge_base_id,
    workspace_id: base.workspace_id,
    kind: 'url',
    title: '',
    filename: '',
    url,
    given_content_type: null,
    content_type: null,
    identity: urlIdentity(url),
    crawl_path: path,
    status: 'processing',
    error: null,
    size_bytes: null,
    characters: 0,
    page_count: null,
    chunk_count: 0,
    content_hash: null,
    etag: null,
    last_modified: null,
    generation: 0,
    reading_id: sourceId,
    created_at: now,
    updated_at: now,
    refreshed_at: null,
  }
}
