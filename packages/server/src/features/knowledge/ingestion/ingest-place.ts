import type { Crawl } from '@parley/contract/knowledge-base'
import { isWithinSite } from '../crawling/crawl-scope.ts'
import { urlIdentity } from '../sources/source-identity.ts'
import type { Claim } from './ingest-claim.ts'
import { decidePlace } from './ingest-decide.ts'
import type { IngestionDependencies } from './ingest-ports.ts'

/** Where a page of a site stands after redirects. */
export async function findPlace(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { url, site }: { readonly url: string | null; readonly site: Crawl | null },
): Promise<ReturnType<typeof decidePlace>> {
  if (source.crawl_path === null || url === null || site === null) return 'keep'
  const finalIdentity = urlIdentity(url)
  const other = await database.read
    .selectFrom('knowledge_sources')
    .select('crawl_path')
    .where('knowledge_base_id', '=', source.knowledge_base_id)
    .where('identity', '=', finalIdentity)
    .where('source_id', '<>', source.source_id)
    .executeTakeFirst()
  return decidePlace({
    identity: source.identity,
    finalIdentity,
    isFirst: source.identity === urlIdentity(site.path),
    isWithin: isWithinSite(site, url),
    other: other === undefined ? null : other.crawl_path === source.crawl_path ? 'of-site' : 'elsewhere',
  })
}
