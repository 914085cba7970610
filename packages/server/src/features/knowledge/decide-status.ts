import type { Crawl, KnowledgeBaseStatus } from '@parley/contract/knowledge-base'
import { isWithinSite } from './crawling/crawl-scope.ts'

/** Sources of a knowledge base by status, and how many of them are searchable. */
export interface SourceCounts {
  readonly processing: number
  readonly refreshing: number
  readonly ready: number
  readonly error: number
  /** In any status: answers use what was read before. */
  readonly usable: number
  /** Searchable passages. */
  readonly chunks: number
}

export const NO_SOURCES: SourceCounts = { processing: 0, refreshing: 0, ready: 0, error: 0, usable: 0, chunks: 0 }

/** Derives the status of a knowledge base from its sources: pending work wins over failures. */
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

/** Pages that no longer belong to any listed site. */
export function decideDropped(pages: readonly CrawledPage[], crawl: readonly Crawl[]): string[] {
  const sites = new Map(crawl.map((site) => [site.path, site]))
  return pages.flatMap(({ sourceId, url, crawlPath }) => {
    const site = sites.get(crawlPath)
    if (site === undefined) return [sourceId]
    return url === crawlPath || isWithinSite(site, url) ? [] : [sourceId]
  })
}
