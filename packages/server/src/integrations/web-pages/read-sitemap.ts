import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ReadSitemap } from '../../features/knowledge/public.ts'
import { createPageFailure, type PageFailure, toStatusFailure } from './page-failure.ts'
import type { PoliteGet } from './polite-client.ts'
import { parseRobots } from './robots-rules.ts'

export interface SitemapRequest {
  readonly url: string
  /** Maximum number of addresses. */
  readonly limit: number
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An index can reference further indexes. */
const MAX_DEPTH = 2
const MAX_SITEMAPS = 50
/** Maximum size of a sitemap in the protocol. */
const MAX_BYTES = 50 * 1024 * 1024
const MAX_INDEX_ENTRIES = 1000
const NO_SITEMAP = createPageFailure('There is no sitemap at this address.', false)

const unzip = promisify(gunzip)

interface SitemapCrawl extends SitemapRequest {
  readonly get: PoliteGet
  /** Allowed hosts: the hosts of the sitemap before and after redirects. */
  readonly hosts: Set<string>
  readonly found: Set<string>
  readonly visited: Set<string>
}

/**
 * Reads a sitemap and its nested sitemaps, or the sitemaps in a robots.txt. Includes only pages and sitemaps of the sitemap's
 * own host.
 */
export async function readSitemap(get: PoliteGet, request: SitemapRequest): Promise<ReadSitemap> {
  const url = URL.parse(request.url)
  if (url === null) return toSitemapFailure(NO_SITEMAP)
  const crawlState: SitemapCrawl = { ...request, get, hosts: new Set([url.host]), found: new Set(), visited: new Set() }
  const failure = await visitSitemap(crawlState, url, 0)
  // A partial result counts.
  if (failure !== null && crawlState.found.size === 0) return toSitemapFailure(failure)
  return { ok: true, urls: [...crawlState.found] }
}

function toSitemapFailure({ message, retryable }: PageFailure): ReadSitemap {
  return { ok: false, message, retryable }
}

/** Adds the addresses of a sitemap and its nested sitemaps. Returns the first failure, or null if there is none. */
async function visitSitemap(crawlState: SitemapCrawl, url: URL, depth: number): Promise<PageFailure | null> {
  const { visited, found, limit, hosts } = crawlState
  if (visited.has(url.href) || visited.size >= MAX_SITEMAPS || found.size >= limit) return null
  visited.add(url.href)
  const scanned = await loadSitemap(crawlState, url, depth)
  if ('reason' in scanned) return scanned
  let failure: PageFailure | null = null
  for (const location of scanned.locations) {
    if (found.size >= limit) break
    const named = toSitePage(location, scanned.url, hosts)
    if (named === null) continue
    if (scanned.kind === 'pages') {
      found.add(named.href)
    } else if (depth < MAX_DEPTH) {
      const below = await visitSitemap(crawlState, named, depth + 1)
      failure ??= below
    }
  }
  return failure
}

/** Returns an address of the same site, or null for any other address. */
function toSitePage(location: string, base: URL, hosts: ReadonlySet<string>): URL | null {
  const url = URL.parse(location, base.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || !hosts.has(url.host)) return null
  if (url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url
}

type Loaded = ScannedSitemap & { readonly url: URL }

async function loadSitemap(crawlState: SitemapCrawl, url: URL, depth: number): Promise<Loaded | PageFailure> {
  const { get, headers, signal, limit, hosts } = crawlState
  const answer = await get({ url: url.href, headers, maxBytes: MAX_BYTES, what: 'The sitemap', signal })
  if (!answer.ok) return answer
  const failure = toStatusFailure(answer.status, 'The sitemap')
  if (failure !== null) return failure
  if (depth === 0) hosts.add(answer.url.host)
  const bytes = await decompress(answer.body)
  if (bytes === null) return createPageFailure('The sitemap is damaged or unpacks to more than 50 MiB.', false)
  const text = new TextDecoder().decode(bytes).trimStart()
  const scanned = scanText(text, answer.url, limit)
  return scanned === null ? NO_SITEMAP : { ...scanned, url: answer.url }
}

function scanText(text: string, url: URL, limit: number): ScannedSitemap | null {
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
/** Maximum number of scanned tags and comments, about twenty per address of the largest requested sitemap. */
const MAX_MARKUP = 200_000
const NAMED_CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Finds the addresses of a sitemap in one pass, without expanding custom entities. Returns null if the text is not a sitemap.
 */
export function scanSitemap(text: string, limit: number): ScannedSitemap | null {
  const rootAt = skipProlog(text)
  const root = /^<(?:([\w.-]{1,50}):)?(urlset|sitemapindex)[\s/>]/.exec(text.slice(rootAt, rootAt + 200))
  if (root === null) return null
  const locationTag = root[1] === undefined ? 'loc' : `${root[1]}:loc`
  const locations: string[] = []
  let at = rootAt
  for (let seen = 0; locations.length < limit && seen < MAX_MARKUP; seen += 1) {
    const tagAt = text.indexOf('<', at)
    if (tagAt === -1) break
    at = skipMarkup(text, tagAt)
    if (!isTag(text, tagAt, locationTag)) continue
    const content = readContent(text, at)
    at = content.endAt
    if (content.value !== '') locations.push(content.value)
  }
  return { kind: root[2] === 'urlset' ? 'pages' : 'index', locations }
}

/** Returns the position of the root, after the declaration, comments and document type. */
function skipProlog(text: string): number {
  let at = text.indexOf('<')
  while (at !== -1 && (text[at + 1] === '?' || text[at + 1] === '!')) at = text.indexOf('<', skipMarkup(text, at))
  return at === -1 ? text.length : at
}

/** Returns the position after the tag, comment, instruction or document type that starts here. */
function skipMarkup(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return findEndOf(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return findEndOf(text, ']]>', at + 9)
  if (text.startsWith('<?', at)) return findEndOf(text, '?>', at + 2)
  if (!text.startsWith('<!', at)) return findEndOf(text, '>', at + 1)
  // A document type can contain declarations in brackets, which are ignored.
  const endAt = findEndOf(text, '>', at + 2)
  const bracketAt = text.slice(at, endAt).indexOf('[')
  return bracketAt === -1 ? endAt : findEndOf(text, '>', findEndOf(text, ']', at + bracketAt))
}

function findEndOf(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at === -1 ? text.length : at + end.length
}

function isTag(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at + 1) && /[\s>]/.test(text[at + 1 + name.length] ?? '')
}

/** Reads the text up to the next tag. */
function readContent(text: string, from: number): { readonly value: string; readonly endAt: number } {
  let value = ''
  let at = from
  for (;;) {
    const tagAt = text.indexOf('<', at)
    const until = tagAt === -1 ? text.length : tagAt
    if (value.length + until - at > MAX_LOCATION_LENGTH) return { value: '', endAt: until }
    value += readEntities(text.slice(at, until))
    if (!text.startsWith('<![CDATA[', until)) return { value: value.trim(), endAt: until }
    at = skipMarkup(text, until)
    const raw = text.slice(until + 9, text.startsWith(']]>', at - 3) ? at - 3 : at)
    if (value.length + raw.length > MAX_LOCATION_LENGTH) return { value: '', endAt: at }
    value += raw
  }
}

function readEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED_CHARACTERS[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
