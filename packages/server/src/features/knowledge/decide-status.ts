import type { Crawl, KnowledgeBaseStatus } from '@parley/contract/knowledge-base'
import { isWithinSite } from './crawling/crawl-scope.ts'

/** Source counts of a knowledge base by status, and the number of searchable sources. */
export interface SourceCounts {
  readonly processing: number
  readonly refreshing: number
  readonly ready: number
  readonly error: number
  /** Searchable sources in any status. A failed refresh keeps the earlier content searchable. */
  readonly usable: number
  /** Number of searchable passages. */
  readonly chunks: number
}

export const NO_SOURCES: SourceCounts = { processing: 0, refreshing: 0, ready: 0, error: 0, usable: 0, chunks: 0 }

/** Derives the status of a knowledge base from its sources. Pending work takes precedence over failures. */
export function decideStatus({ processing, refreshing, error, usable }: SourceCounts): KnowledgeBaseStatus {
  if (processing > 0) return 'processing'
  if (refreshing > 0) return 'refreshing'
  return usable === 0 && error > 0 ? 'error' : 'ready'
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

/** Returns the ids of pages that no longer belong to any listed site. */
export function selectDroppedPages(pages: readonly CrawledPage[], crawl: readonly Crawl[]): string[] {
  const sites = new Map(crawl.map((site) => [site.path, site]))
  return pages.flatMap(({ sourceId, url, crawlPath }) => {
    const site = sites.get(crawlPath)
    if (site === undefined) return [sourceId]
    return url === crawlPath || isWithinSite(site, url) ? [] : [sourceId]
  })
}
