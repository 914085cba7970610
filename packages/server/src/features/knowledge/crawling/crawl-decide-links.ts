import { urlIdentity } from '../sources/source-identity.ts'
import { type CrawlSite, isWithinSite, pageOfLink } from './crawl-scope.ts'

export interface FoundLinks {
  /** As the page or the sitemap names them. */
  readonly links: readonly string[]
  readonly site: CrawlSite
  /** Identities of what is there already. */
  readonly known: ReadonlySet<string>
  /** How many pages there may be more. */
  readonly remaining: number
}

/** Which pages a site gains by links: those within it that are not there yet, in their order, as far as there is room. */
export function decideLinks({ links, site, known, remaining }: FoundLinks): string[] {
  const added = new Set<string>()
  for (const link of links) {
    if (added.size >= remaining) break
    const page = pageOfLink(link)
    if (page !== null && !known.has(urlIdentity(page)) && isWithinSite(site, page)) added.add(page)
  }
  return [...added]
}
