import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock, type SteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startWebsite, type Website } from '../../../../../testing/website-server/website-server.ts'
import type {
  FetchedPage,
  PageValidators,
  SitemapResult,
  WebPageFetcher,
} from '../../features/knowledge/knowledge-ports.ts'
import type { ResolveAddresses } from '../../platform/outbound/guarded-agent.ts'
import { createGuardedClient } from '../../platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createWebPageFetcher } from './web-pages.ts'

export const NO_VALIDATORS: PageValidators = { etag: null, lastModified: null }

export interface WebPagesScene extends AsyncDisposable {
  readonly site: Website
  readonly clock: SteppedClock
  readonly pages: WebPageFetcher
  /** Fetches a path of the site or a full URL. Advances virtual time through pauses. */
  fetch(path: string, options?: { validators?: PageValidators; signal?: AbortSignal }): Promise<FetchedPage>
  readSitemap(path: string, limit?: number): Promise<SitemapResult>
}

export interface WebPagesSceneOptions {
  /** Addresses by name. By default, `name.test` resolves to the site. */
  readonly names?: Readonly<Record<string, string>>
  /** Pause between two requests. No pause by default. */
  readonly pauseMs?: number
}

/** Starts a loopback website that the target policy allows and creates a client for it. */
export async function openWebPagesScene({
  names = {},
  pauseMs = 0,
}: WebPagesSceneOptions = {}): Promise<WebPagesScene> {
  const site = await startWebsite()
  const clock = createSteppedClock()
  const addresses: Readonly<Record<string, string>> = { 'name.test': '127.0.0.1', 'other.test': '127.0.0.1', ...names }
  const resolve: ResolveAddresses = async (hostname) => {
    const address = addresses[hostname]
    if (address === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return [{ address, family: 4 }]
  }
  const client = createGuardedClient({
    clock,
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${site.port}`] }),
    resolve,
    makeConnector: createLoopbackConnector,
  })
  const pages = createWebPageFetcher({ send: client.request, clock, pauseMs })
  const neverAborted = new AbortController().signal
  const resolveUrl = (path: string): string => (path.startsWith('/') ? `${site.url}${path}` : path)
  return {
    site,
    clock,
    pages,
    fetch: (path, { validators = NO_VALIDATORS, signal = neverAborted } = {}) =>
      pages.fetch(resolveUrl(path), validators, signal),
    readSitemap: (path, limit = 100) => pages.readSitemap(resolveUrl(path), limit, neverAborted),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await site.close()
    },
  }
}
