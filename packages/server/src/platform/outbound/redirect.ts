import { type HeaderMap, headersForOtherOrigin, headersWithoutBody } from './outbound-headers.ts'
import type { OutboundRequest } from './outbound-request.ts'

/** One request on the way to the answer. */
export interface Hop {
  readonly url: URL
  readonly method: OutboundRequest['method']
  readonly headers: HeaderMap
  readonly body: Buffer | string | undefined
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

/** Whether a status with this `Location` asks for another request. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECT_STATUSES.has(status) && location !== undefined && location !== ''
}

/**
 * The request that a redirect asks for (Fetch standard, HTTP-redirect fetch): 303 turns all but GET and HEAD into a GET, as
 * 301 and 302 do with a POST. `null` when it leads to no usable URL.
 */
export function followRedirect(hop: Hop, status: number, location: string): Hop | null {
  if (!URL.canParse(location, hop.url.href)) return null
  const url = new URL(location, hop.url.href)
  const headers = url.origin === hop.url.origin ? hop.headers : headersForOtherOrigin(hop.headers)
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  if (!becomesGet) return { url, method: hop.method, headers, body: hop.body }
  return { url, method: 'GET', headers: headersWithoutBody(headers), body: undefined }
}

/** The sentence that says why a URL cannot be requested, or `null`. `schemes`: the plain one, then the one with TLS. */
export function urlProblem(url: URL, schemes: readonly [string, string] = ['http', 'https']): string | null {
  const [plain, secure] = schemes
  if (url.protocol !== `${plain}:` && url.protocol !== `${secure}:`) {
    return `Only ${plain} and ${secure} addresses can be called.`
  }
  if (url.username !== '' || url.password !== '') return 'The address must not hold a user name or a password.'
  return null
}
