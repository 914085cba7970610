import { createHash } from 'node:crypto'

/** The canonical URL of a page for comparison: host in lower case, no default port, no fragment. */
export function normalizeUrl(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  // An empty query requests the same page.
  if (parsed.search === '') parsed.search = ''
  return parsed.href
}

export function urlIdentity(url: string): string {
  return `url:${normalizeUrl(url)}`
}

/** Identity of a file or text: the hash of its bytes. */
export function contentIdentity(sha256Hex: string): string {
  return `sha256:${sha256Hex}`
}

/** Identity of content that already exists under another title. */
export function titledIdentity(identity: string, title: string): string {
  return `${identity}:${createHash('sha256').update(title).digest('hex')}`
}

/** Status of a redirected page of a site: hidden, and not fetched again for every link to it. */
export const ALIAS = 'alias'

/** Identity of such a page, so that its owner can still add it. */
export function aliasIdentity(identity: string): string {
  return `${ALIAS}:${identity}`
}
