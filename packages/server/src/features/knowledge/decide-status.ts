import type { Crawl, KnowledgeBaseStatus } from '@parley/contract/knowledge-base'
import { isWithinSite } from './crawling/crawl-scope.ts'

/** Numbers of sources and passages in a knowledge base. */
export interface SourceCounts {
  readonly processing: number
  readonly refreshing: number
  readonly ready: number
  readonly error: number
  /** Number of searchable sources in any status. Content stays searchable if a refresh fails. */
  readonly searchable: number
  /** Number of searchable passages. */
  readonly chunks: number
}

export const NO_SOURCES: SourceCounts = { processing: 0, refreshing: 0, ready: 0, error: 0, searchable: 0, chunks: 0 }

/** Derives the status of a knowledge base from its sources. Pending work takes precedence over failures. */
export function decideStatus({ processing, refreshing, error, searchable }: SourceCounts): KnowledgeBaseStatus {
  if (processing > 0) return 'processing'
  if (refreshing > 0) return 'refreshing'
  return searchable === 0 && error > 0 ? 'error' : 'ready'
}

export function countSources({ processing, refreshing, ready, error }: SourceCounts): number {
  return processing + refreshing + ready + error
}

/** A page found by crawling. */
export interface CrawledPage {
  readonly sourceId: string
  readonly url: string
  readonly crawlPath: string
}

/** Returns the ids of crawled pages that no longer belong to any of the sites. */
export function selectOrphanedPageIds(pages: readonly CrawledPage[], sites: readonly Crawl[]): string[] {
  const sitesByPath = new Map(sites.map((site) => [site.path, site]))
  return pages.flatMap(({ sourceId, url, crawlPath }) => {
    const site = sitesByPath.get(crawlPath)
    if (site === undefined) return [sourceId]
    return url === crawlPath || isWithinSite(site, url) ? [] : [sourceId]
  })
}
