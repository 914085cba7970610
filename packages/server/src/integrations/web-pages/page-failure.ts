import type { FetchedPage } from '../../features/knowledge/public.ts'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'

/** Reason why a page was not fetched, for the owner of the knowledge base. */
export type PageFailure = Extract<FetchedPage, { ok: false }>

/** Crawler name for robots.txt. */
export const CRAWLER_NAME = 'ParleyBot'

export const createDeniedFailure = (message: string): PageFailure => ({
  ok: false,
  reason: 'refused',
  message,
  retryable: false,
})
export const createPageFailure = (message: string, retryable: boolean): PageFailure => ({
  ok: false,
  reason: 'failed',
  message,
  retryable,
})

export const CANCELLED = createPageFailure('The page was not fetched because the crawl was stopped.', true)
export const TOO_BUSY = createPageFailure(
  'Too many pages of the site are being fetched. This page is retried later.',
  true,
)
export const NO_RESPONSE = createPageFailure('The site did not respond in time.', true)
const PRIVATE_TARGET = createDeniedFailure(
  'The address is in a private network. The operator can allow such addresses.',
)

/**
 * Converts a request failure to a page failure. `targetName` is the subject of the message, such as "The page".
 */
export function toRequestFailure(
  { reason, message }: OutboundFailure,
  targetName: string,
  maxBytes: number,
): PageFailure {
  switch (reason) {
    case 'blocked-target':
      return PRIVATE_TARGET
    case 'invalid-request':
      return createDeniedFailure(message)
    case 'timeout':
      return NO_RESPONSE
    case 'network':
      return createPageFailure(message, true)
    case 'too-large':
      return createPageFailure(`${targetName} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB.`, false)
    case 'too-many-redirects':
      return createPageFailure(`${targetName} redirects too often.`, false)
    case 'cancelled':
      return CANCELLED
  }
}

/** Returns the failure for an error status, or null for a successful status. */
export function toStatusFailure(status: number, targetName: string): PageFailure | null {
  if (status >= 200 && status < 300) return null
  if (status === 404 || status === 410) {
    const message = `${targetName} does not exist (status ${status}). Check the address or remove the source.`
    return { ok: false, reason: 'gone', message, retryable: false }
  }
  if (status === 401 || status === 407) return createDeniedFailure(`${targetName} requires a login (status ${status}).`)
  if (status === 403 || status === 451) return createDeniedFailure(`The site denies access (status ${status}).`)
  if (status === 429) return createPageFailure('The site limits requests (status 429); try again later.', true)
  if (status >= 500) return createPageFailure(`The site has an error (status ${status}).`, true)
  const isTransient = status === 408 || status === 425
  return createPageFailure(`The site did not return a page (status ${status}).`, isTransient)
}
