import type { Clock } from '@parley/engine/ports'
import type { FetchedPage, PageValidators, WebPageFetcher } from '../../features/knowledge/public.ts'
import type { SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { CRAWLER_NAME, createPageFailure, toStatusFailure } from './page-failure.ts'
import { createPoliteGet, type PoliteResponse } from './polite-client.ts'
import { createPoliteGate, createUnresponsiveSites } from './polite-gate.ts'
import { readSitemap } from './read-sitemap.ts'
import { createRobotsCache } from './robots-cache.ts'

export interface WebPagesOptions {
  /** Sends requests, and blocks internal networks. */
  readonly send: SendOutbound
  readonly clock: Clock
  /** User agent. Must contain `ParleyBot`, the crawler's name in robots.txt. */
  readonly userAgent?: string
  /** Minimum time between the starts of two requests to one origin. Defaults to 200 ms. */
  readonly pauseMs?: number
}

const MAX_PAGE_BYTES = 50 * 1024 * 1024
const DEFAULT_PAUSE_MS = 200
const USER_AGENT = `Mozilla/5.0 (compatible; ${CRAWLER_NAME}/1.0)`
const PAGE_TYPES = 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8'
const SITEMAP_TYPES = 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8'
/** Longer validators are not stored, because each later request would contain them. */
const MAX_VALIDATOR_LENGTH = 1000

/** Creates a client that fetches pages and sitemaps from public addresses and respects robots.txt. */
export function createWebPageFetcher({
  send,
  clock,
  userAgent = USER_AGENT,
  pauseMs = DEFAULT_PAUSE_MS,
}: WebPagesOptions): WebPageFetcher {
  const gate = createPoliteGate(clock)
  const agentHeaders = { 'user-agent': userAgent }
  const robots = createRobotsCache({
    send,
    clock,
    gate,
    pauseMs,
    headers: { ...agentHeaders, accept: 'text/plain,*/*;q=0.8' },
  })
  const get = createPoliteGet({ send, clock, gate, robots, unresponsiveSites: createUnresponsiveSites(clock), pauseMs })
  return {
    async fetch(url, validators, signal) {
      const headers = { ...agentHeaders, accept: PAGE_TYPES, ...buildConditionalHeaders(validators) }
      const response = await get({ url, headers, maxBytes: MAX_PAGE_BYTES, targetName: 'The page', signal })
      return response.ok ? toFetchedPage(response, hasValidators(validators)) : response
    },

    async readSitemap(url, limit, signal) {
      return await readSitemap(get, { url, limit, headers: { ...agentHeaders, accept: SITEMAP_TYPES }, signal })
    },
  }
}

function hasValidators({ etag, lastModified }: PageValidators): boolean {
  return etag !== null || lastModified !== null
}

function buildConditionalHeaders({ etag, lastModified }: PageValidators): Readonly<Record<string, string>> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

function toFetchedPage({ status, headers, body, url }: PoliteResponse, wasConditional: boolean): FetchedPage {
  if (status === 304 && wasConditional) return { ok: true, changed: false }
  const failure = toStatusFailure(status, 'The page')
  if (failure !== null) return failure
  if (body.length === 0) return createPageFailure('The page is empty.', false)
  return {
    ok: true,
    changed: true,
    url: url.href,
    bytes: body,
    contentType: headers['content-type'] ?? null,
    validators: { etag: toValidator(headers.etag), lastModified: toValidator(headers['last-modified']) },
  }
}

/** Returns the header if it can be sent back as a validator, otherwise null. */
function toValidator(header: string | undefined): string | null {
  return header !== undefined && header.length <= MAX_VALIDATOR_LENGTH && /^[\x20-\x7e]+$/.test(header) ? header : null
}
