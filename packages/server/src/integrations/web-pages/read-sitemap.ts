import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { SitemapResult } from '../../features/knowledge/public.ts'
import { createPageFailure, type PageFailure, toStatusFailure } from './page-failure.ts'
import type { PoliteGet } from './polite-client.ts'
import { parseRobots } from './robots-rules.ts'

export interface SitemapRequest {
  readonly url: string
  /** Maximum number of page URLs. */
  readonly limit: number
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An index can reference further indexes. */
const MAX_DEPTH = 2
const MAX_SITEMAPS = 50
/** Maximum size of a sitemap according to the sitemaps protocol. */
const MAX_BYTES = 50 * 1024 * 1024
const MAX_INDEX_ENTRIES = 1000
const NO_SITEMAP = createPageFailure('There is no sitemap at this address.', false)

const unzip = promisify(gunzip)

interface SitemapCrawl extends SitemapRequest {
  readonly get: PoliteGet
  /** Allowed hosts: the hosts of the sitemap before and after redirects. */
  readonly hosts: Set<string>
  readonly pageUrls: Set<string>
  readonly visitedUrls: Set<string>
}

/**
 * Reads a sitemap and its nested sitemaps, or the sitemaps listed in a robots.txt. Includes only pages and sitemaps on the same
 * host.
 */
export async function readSitemap(get: PoliteGet, request: SitemapRequest): Promise<SitemapResult> {
  const url = URL.parse(request.url)
  if (url === null) return toSitemapFailure(NO_SITEMAP)
  const crawlState: SitemapCrawl = {
    ...request,
    get,
    hosts: new Set([url.host]),
    pageUrls: new Set(),
    visitedUrls: new Set(),
  }
  const failure = await visitSitemap(crawlState, url, 0)
  // A partial result is still useful.
  if (failure !== null && crawlState.pageUrls.size === 0) return toSitemapFailure(failure)
  return { ok: true, urls: [...crawlState.pageUrls] }
}

function toSitemapFailure({ message, retryable }: PageFailure): SitemapResult {
  return { ok: false, message, retryable }
}

/** Collects the URLs of a sitemap and its nested sitemaps. Returns the first failure, or null if there is none. */
async function visitSitemap(crawlState: SitemapCrawl, url: URL, depth: number): Promise<PageFailure | null> {
  const { visitedUrls, pageUrls, limit, hosts } = crawlState
  if (visitedUrls.has(url.href) || visitedUrls.size >= MAX_SITEMAPS || pageUrls.size >= limit) return null
  visitedUrls.add(url.href)
  const sitemap = await loadSitemap(crawlState, url, depth)
  if ('reason' in sitemap) return sitemap
  let failure: PageFailure | null = null
  for (const location of sitemap.locations) {
    if (pageUrls.size >= limit) break
    const locationUrl = parseSiteUrl(location, sitemap.url, hosts)
    if (locationUrl === null) continue
    if (sitemap.kind === 'pages') {
      pageUrls.add(locationUrl.href)
    } else if (depth < MAX_DEPTH) {
      const nestedFailure = await visitSitemap(crawlState, locationUrl, depth + 1)
      failure ??= nestedFailure
    }
  }
  return failure
}

/** Parses a URL. Returns null if the URL is invalid or on another site. */
function parseSiteUrl(location: string, baseUrl: URL, hosts: ReadonlySet<string>): URL | null {
  const url = URL.parse(location, baseUrl.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || !hosts.has(url.host)) return null
  if (url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url
}

type LoadedSitemap = ScannedSitemap & { readonly url: URL }

async function loadSitemap(crawlState: SitemapCrawl, url: URL, depth: number): Promise<LoadedSitemap | PageFailure> {
  const { get, headers, signal, limit, hosts } = crawlState
  const response = await get({ url: url.href, headers, maxBytes: MAX_BYTES, targetName: 'The sitemap', signal })
  if (!response.ok) return response
  const failure = toStatusFailure(response.status, 'The sitemap')
  if (failure !== null) return failure
  if (depth === 0) hosts.add(response.url.host)
  const bytes = await decompress(response.body)
  if (bytes === null) return createPageFailure('The sitemap is damaged or larger than 50 MiB when decompressed.', false)
  const text = new TextDecoder().decode(bytes).trimStart()
  const sitemap = scanSitemapText(text, response.url, limit)
  return sitemap === null ? NO_SITEMAP : { ...sitemap, url: response.url }
}

function scanSitemapText(text: string, url: URL, limit: number): ScannedSitemap | null {
  if (url.pathname === '/robots.txt') return { kind: 'index', locations: parseRobots(text, '*').sitemaps }
  // Reads more than the limit, because some addresses may be duplicates or on other hosts.
  if (text.startsWith('<')) return scanSitemap(text, Math.max(limit * 20, MAX_INDEX_ENTRIES))
  const lines = text.split(/[\r\n]+/, Math.max(limit * 20, MAX_INDEX_ENTRIES)).map((line) => line.trim())
  const locations = lines.filter((line) => /^https?:\/\//i.test(line) && line.length <= 2048)
  return locations.length === 0 ? null : { kind: 'pages', locations }
}

/** Decompresses a gzip file. Returns other bytes unchanged. */
async function decompress(body: Buffer): Promise<Buffer | null> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  return await unzip(body, { maxOutputLength: MAX_BYTES }).catch(() => null)
}

/** Content of a sitemap. */
interface ScannedSitemap {
  readonly kind: 'pages' | 'index'
  /** Unparsed addresses in order, up to the limit. */
  readonly locations: readonly string[]
}

const MAX_LOCATION_LENGTH = 2048
/** Maximum number of scanned tags and comments, about twenty for each URL of the largest sitemap. */
const MAX_MARKUP_COUNT = 200_000
const NAMED_CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Finds the URLs of a sitemap in one pass, without expanding custom entities. Returns null if the text is not a sitemap.
 */
export function scanSitemap(text: string, limit: number): ScannedSitemap | null {
  const rootStart = skipProlog(text)
  const root = /^<(?:([\w.-]{1,50}):)?(urlset|sitemapindex)[\s/>]/.exec(text.slice(rootStart, rootStart + 200))
  if (root === null) return null
  const locationTag = root[1] === undefined ? 'loc' : `${root[1]}:loc`
  const locations: string[] = []
  let position = rootStart
  for (let markupCount = 0; locations.length < limit && markupCount < MAX_MARKUP_COUNT; markupCount += 1) {
    const tagStart = text.indexOf('<', position)
    if (tagStart === -1) break
    position = skipMarkup(text, tagStart)
    if (!isTag(text, tagStart, locationTag)) continue
    const content = readContent(text, position)
    position = content.endIndex
    if (content.value !== '') locations.push(content.value)
  }
  return { kind: root[2] === 'urlset' ? 'pages' : 'index', locations }
}

/** Returns the position of the root element, after the declaration, comments and document type. */
function skipProlog(text: string): number {
  let position = text.indexOf('<')
  while (position !== -1 && (text[position + 1] === '?' || text[position + 1] === '!'))
    position = text.indexOf('<', skipMarkup(text, position))
  return position === -1 ? text.length : position
}

/** Returns the position after the tag, comment, instruction or document type that starts at `start`. */
function skipMarkup(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return findEnd(text, '-->', start + 4)
  if (text.startsWith('<![CDATA[', start)) return findEnd(text, ']]>', start + 9)
  if (text.startsWith('<?', start)) return findEnd(text, '?>', start + 2)
  if (!text.startsWith('<!', start)) return findEnd(text, '>', start + 1)
  // A document type can contain declarations in brackets, which are ignored.
  const typeEnd = findEnd(text, '>', start + 2)
  const bracketIndex = text.slice(start, typeEnd).indexOf('[')
  return bracketIndex === -1 ? typeEnd : findEnd(text, '>', findEnd(text, ']', start + bracketIndex))
}

function findEnd(text: string, end: string, searchStart: number): number {
  const index = text.indexOf(end, searchStart)
  return index === -1 ? text.length : index + end.length
}

function isTag(text: string, tagStart: number, name: string): boolean {
  return text.startsWith(name, tagStart + 1) && /[\s>]/.test(text[tagStart + 1 + name.length] ?? '')
}

/** Reads the text up to the next tag. */
function readContent(text: string, start: number): { readonly value: string; readonly endIndex: number } {
  let value = ''
  let position = start
  for (;;) {
    const tagStart = text.indexOf('<', position)
    const textEnd = tagStart === -1 ? text.length : tagStart
    if (value.length + textEnd - position > MAX_LOCATION_LENGTH) return { value: '', endIndex: textEnd }
    value += decodeEntities(text.slice(position, textEnd))
    if (!text.startsWith('<![CDATA[', textEnd)) return { value: value.trim(), endIndex: textEnd }
    position = skipMarkup(text, textEnd)
    const cdata = text.slice(textEnd + 9, text.startsWith(']]>', position - 3) ? position - 3 : position)
    if (value.length + cdata.length > MAX_LOCATION_LENGTH) return { value: '', endIndex: position }
    value += cdata
  }
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return NAMED_CHARACTERS[name] ?? entity
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}
