import { createHash } from 'node:crypto'

/** What makes a document the same one when it is added again. */

/** The address of a page in the one form that it is compared by: host in lower case, no default port, no fragment. */
export function normalizeUrl(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  // A question mark with nothing behind it asks for the same page.
  if (parsed.search === '') parsed.search = ''
  return parsed.href
}

/** Identity of a page: its address. */
export function urlIdentity(url: string): string {
  return `url:${normalizeUrl(url)}`
}

/** Identity of a file or text: its bytes. */
export function contentIdentity(sha256Hex: string): string {
  return `sha256:${sha256Hex}`
}

/** Identity of content that is already there under another title. */
export function titledIdentity(identity: string, title: string): string {
  return `${identity}:${createHash('sha256').update(title).digest('hex')}`
}

/** Status of a page of a site that only leads to another one: nobody sees it, and it is not fetched for every link to it. */
export const ALIAS = 'alias'

/** Identity of such a page, beside which its owner may still name it. */
export function aliasIdentity(identity: string): string {
  return `${ALIAS}:${identity}`
}
