import type { KnowledgeChunk } from '@parley/contract/knowledge-base'
import type { SourceType } from '@parley/contract/knowledge-passage'
import { type KnowledgeSource, SOURCE_STATUSES, type SourceStatus } from '@parley/contract/knowledge-source'
import { type Page, type PageRequest, readNewest, toPage } from '../../../kernel/api/paging.ts'
import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { Reader } from '../../../kernel/storage/database.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { CrawledPage } from '../decide-status.ts'
import { NO_SOURCES, type SourceCounts } from '../decide-status.ts'
import type { ExistingSource } from './decide-additions.ts'

const INT32_MAX = 2_147_483_647
/** Maximum number of values per list in a statement. */
const BATCH_SIZE = 500

/** Selects the visible sources. Sources that are being added or removed have other statuses. */
function selectSources(reader: Reader, knowledgeBaseId: string) {
  return reader
    .selectFrom('knowledge_sources')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('status', 'in', SOURCE_STATUSES)
}

/** Lists the sources of a knowledge base, newest first. */
export async function listSources(
  reader: Reader,
  filter: { readonly knowledgeBaseId: string; readonly status?: SourceStatus | undefined },
  page: PageRequest,
): Promise<Page<KnowledgeSource>> {
  let query = selectSources(reader, filter.knowledgeBaseId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  return await readNewest(query.selectAll(), page, ['created_at', 'source_id'], toSource)
}

/** Returns the ids that belong to sources of the knowledge base. */
export async function findSourceIds(
  reader: Reader,
  knowledgeBaseId: string,
  sourceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const foundIds = new Set<string>()
  for (const batch of splitIntoChunks(sourceIds, BATCH_SIZE)) {
    const rows = await selectSources(reader, knowledgeBaseId)
      .select('source_id')
      .where('source_id', 'in', batch)
      .execute()
    for (const row of rows) foundIds.add(row.source_id)
  }
  return foundIds
}

/** Finds the pages that were added by crawling. */
export async function findCrawledPages(reader: Reader, knowledgeBaseId: string): Promise<CrawledPage[]> {
  const rows = await selectSources(reader, knowledgeBaseId)
    .select(['source_id', 'url', 'crawl_path'])
    .where('crawl_path', 'is not', null)
    .execute()
  return rows.map(({ source_id, url, crawl_path }) => ({
    sourceId: source_id,
    url: url ?? '',
    crawlPath: crawl_path ?? '',
  }))
}

export async function findExistingSources(
  reader: Reader,
  knowledgeBaseId: string,
  identities: readonly string[],
): Promise<ExistingSource[]> {
  if (identities.length === 0) return []
  const rows = await selectSources(reader, knowledgeBaseId)
    .select(['source_id', 'identity', 'kind', 'title', 'status', 'error', 'generation', 'crawl_path'])
    .where('identity', 'in', identities)
    .execute()
  return rows.map(({ source_id, crawl_path, ...rest }) => ({ ...rest, sourceId: source_id, crawlPath: crawl_path }))
}

export async function countVisibleSources(reader: Reader, knowledgeBaseId: string): Promise<number> {
  const { count } = await selectSources(reader, knowledgeBaseId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Counts the sources of each knowledge base by status. Omits knowledge bases without sources. */
export async function countByStatus(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SourceCounts>> {
  const counts = new Map<string, SourceCounts>()
  for (const batch of splitIntoChunks(ids, BATCH_SIZE)) {
    for (const row of await readCounts(reader, batch)) {
      const current = counts.get(row.knowledge_base_id) ?? NO_SOURCES
      counts.set(row.knowledge_base_id, {
        ...current,
        [row.status]: row.sources,
        searchable: current.searchable + row.searchable,
        chunks: current.chunks + row.chunks,
      })
    }
  }
  return counts
}

async function readCounts(reader: Reader, ids: readonly string[]) {
  if (ids.length === 0) return []
  return await reader
    .selectFrom('knowledge_sources')
    .select(({ fn, eb }) => [
      'knowledge_base_id',
      'status',
      fn.countAll<number>().as('sources'),
      fn.sum<number>('chunk_count').as('chunks'),
      fn.sum<number>(eb.case().when('generation', '>', 0).then(1).else(0).end()).as('searchable'),
    ])
    .where('knowledge_base_id', 'in', ids)
    .where('status', 'in', SOURCE_STATUSES)
    .groupBy(['knowledge_base_id', 'status'])
    .execute()
}

/** Lists the searchable passages of a source in document order. */
export async function listChunks(
  reader: Reader,
  sourceId: string,
  { limit, after }: PageRequest,
): Promise<Page<KnowledgeChunk>> {
  const rows = await reader
    .selectFrom('knowledge_sources')
    .innerJoin('knowledge_chunks', (join) =>
      join
        .onRef('knowledge_chunks.source_id', '=', 'knowledge_sources.source_id')
        .onRef('knowledge_chunks.generation', '=', 'knowledge_sources.generation'),
    )
    .select(['position', 'page', 'headings', 'text'])
    .where('knowledge_sources.source_id', '=', sourceId)
    .where('knowledge_chunks.position', '>', after === null ? -1 : Math.min(after.sortValue, INT32_MAX))
    .orderBy('knowledge_chunks.position')
    .limit(limit + 1)
    .execute()
  return toPage(
    rows,
    limit,
    ({ headings, ...chunk }): KnowledgeChunk => ({ ...chunk, headings: JSON.parse(headings) as string[] }),
    ({ position }) => ({ sortValue: position, id: sourceId }),
  )
}

function toSource(row: KnowledgeSourceRow): KnowledgeSource {
  return {
    source_id: row.source_id,
    // Both columns contain only values of the contract's lists.
    source_type: row.kind as SourceType,
    status: row.status as SourceStatus,
    filename: row.filename,
    title: row.title,
    url: row.url,
    contentType: row.content_type,
    error: row.error,
    size: row.size_bytes,
    characters: row.characters,
    pageCount: row.page_count,
    chunkCount: row.chunk_count,
    crawled: row.crawl_path !== null,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    refreshedAt: row.refreshed_at === null ? null : new Date(row.refreshed_at).toISOString(),
  }
}
