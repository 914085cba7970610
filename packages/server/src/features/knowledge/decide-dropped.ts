import type { Crawl } from '@parley/contract/knowledge-base'
import { isWithinSite } from './crawling/crawl-scope.ts'

/** A page that was found by following a site. */
export interface CrawledPage {
  readonly sourceId: string
  readonly url: string
  readonly crawlPath: string
}

/** Pages that no site of the list leads to any more: it is gone, or leaves them out. */
export function decideDropped(pages: readonly CrawledPage[], crawl: readonly Crawl[]): string[] {
  const sites = new Map(crawl.map((site) => [site.path, site]))
  return pages.flatMap(({ sourceId, url, crawlPath }) => {
    const site = sites.get(crawlPath)
    if (site === undefined) return [sourceId]
    return url === crawlPath || isWithinSite(site, url) ? [] : [sourceId]
  })
}
