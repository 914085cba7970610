import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ReadSitemap } from '../../features/knowledge/public.ts'
import { failed, failureOfStatus, type PageFailure } from './page-failure.ts'
import type { PoliteGet } from './polite-client.ts'
import { parseRobots } from './robots-rules.ts'
import { type ScannedSitemap, scanSitemap } from './scan-sitemap.ts'

export interface SitemapRequest {
  readonly url: string
  /** Addresses at most. */
  readonly limit: number
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An index may name sitemaps, which may be an index once more. */
const MAX_DEPTH = 2
const MAX_SITEMAPS = 50
/** That is what a sitemap may have at most. */
const MAX_BYTES = 50 * 1024 * 1024
const MAX_INDEX_ENTRIES = 1000
const NO_SITEMAP = failed('There is no sitemap at this address.', false)

const unzip = promisify(gunzip)

interface SitemapCrawl extends SitemapRequest {
  readonly get: PoliteGet
  /** Hosts whose pages count: that of the sitemap, before and after redirects. */
  readonly hosts: Set<string>
  readonly found: Set<string>
  readonly visited: Set<string>
}

/** Reads a sitemap, the sitemaps that it names, or those that a robots.txt names; pages and sitemaps of its own host only. */
export async function readSitemap(get: PoliteGet, request: SitemapRequest): Promise<ReadSitemap> {
  const url = URL.parse(request.url)
  if (url === null) return failureOf(NO_SITEMAP)
  const crawlState: SitemapCrawl = { ...request, get, hosts: new Set([url.host]), found: new Set(), visited: new Set() }
  const failure = await visit(crawlState, url, 0)
  // What was found counts, though a part of it could not be read.
  if (failure !== null && crawlState.found.size === 0) return failureOf(failure)
  return { ok: true, urls: [...crawlState.found] }
}

function failureOf({ message, retryable }: PageFailure): ReadSitemap {
  return { ok: false, message, retryable }
}

/** Adds what one sitemap and those below it name. Answers why it could not be read, or the first one below. */
async function visit(crawlState: SitemapCrawl, url: URL, depth: number): Promise<PageFailure | null> {
  const { visited, found, limit, hosts } = crawlState
  if (visited.has(url.href) || visited.size >= MAX_SITEMAPS || found.size >= limit) return null
  visited.add(url.href)
  const scanned = await load(crawlState, url, depth)
  if ('reason' in scanned) return scanned
  let failure: PageFailure | null = null
  for (const location of scanned.locations) {
    if (found.size >= limit) break
    const named = pageOf(location, scanned.url, hosts)
    if (named === null) continue
    if (scanned.kind === 'pages') {
      found.add(named.href)
    } else if (depth < MAX_DEPTH) {
      const below = await visit(crawlState, named, depth + 1)
      failure ??= below
    }
  }
  return failure
}

/** An address of the same site; null for any other. */
function pageOf(location: string, base: URL, hosts: ReadonlySet<string>): URL | null {
  const url = URL.parse(location, base.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || !hosts.has(url.host)) return null
  if (url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url
}

type Loaded = ScannedSitemap & { readonly url: URL }

async function load(crawlState: SitemapCrawl, url: URL, depth: number): Promise<Loaded | PageFailure> {
  const { get, headers, signal, limit, hosts } = crawlState
  const answer = await get({ url: url.href, headers, maxBytes: MAX_BYTES, what: 'The sitemap', signal })
  if (!answer.ok) return answer
  const failure = failureOfStatus(answer.status, 'The sitemap')
  if (failure !== null) return failure
  if (depth === 0) hosts.add(answer.url.host)
  const bytes = await unpacked(answer.body)
  if (bytes === null) return failed('The sitemap is damaged or unpacks to more than 50 MiB.', false)
  const text = new TextDecoder().decode(bytes).trimStart()
  const scanned = scanText(text, answer.url, limit)
  return scanned === null ? NO_SITEMAP : { ...scanned, url: answer.url }
}

function scanText(text: string, url: URL, limit: number): ScannedSitemap | null {
  if (url.pathname === '/robots.txt') return { kind: 'index', locations: parseRobots(text, '*').sitemaps }
  // More than the limit: some may be of other hosts, or twice there.
  if (text.startsWith('<')) return scanSitemap(text, Math.max(limit * 20, MAX_INDEX_ENTRIES))
  const lines = text.split(/[\r\n]+/, Math.max(limit * 20, MAX_INDEX_ENTRIES)).map((line) => line.trim())
  const locations = lines.filter((line) => /^https?:\/\//i.test(line) && line.length <= 2048)
  return locations.length === 0 ? null : { kind: 'pages', locations }
}

/** The content of a gzip file, or the bytes themselves. */
async function unpacked(body: Buffer): Promise<Buffer | null> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  return await unzip(body, { maxOutputLength: MAX_BYTES }).catch(() => null)
}
