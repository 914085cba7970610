import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { FetchedPage, UnreadableDocument } from '../knowledge-ports.ts'
import { MAX_DOCUMENT_ATTEMPTS, MAX_PAGE_ATTEMPTS } from './ingest-job.ts'

/** The reason why a source could not be read. */
export type IngestFailure =
  | (Extract<FetchedPage, { ok: false }> & { readonly kind: 'page' })
  | (UnreadableDocument & { readonly kind: 'document' })
  | { readonly kind: 'source'; readonly message: string; readonly retryable: false }

/** How to handle a failure. `changes` contains the new column values of the source. */
type FailureDecision =
  | { readonly type: 'retry' }
  | { readonly type: 'remove' }
  | { readonly type: 'finalize'; readonly changes: Partial<KnowledgeSourceRow> }

const GONE_SINCE = /^Gone since (\S+): /
const MAX_ERROR_CHARACTERS = 1_000

/**
 * Decides how to handle a failed attempt. Temporary failures are retried, and crawled pages that no longer exist are removed.
 * Otherwise, the error is stored and earlier content stays searchable.
 */
export function decideFailure(
  source: Pick<KnowledgeSourceRow, 'generation' | 'crawl_path' | 'error' | 'refreshed_at'>,
  failure: IngestFailure,
  { attempt, now }: { readonly attempt: number; readonly now: number },
): FailureDecision {
  const maxAttempts = failure.kind === 'page' ? MAX_PAGE_ATTEMPTS : MAX_DOCUMENT_ATTEMPTS
  if (failure.retryable && attempt < maxAttempts) return { type: 'retry' }
  const isPageGone = failure.kind === 'page' && failure.reason === 'gone'
  if (isPageGone && source.crawl_path !== null && source.refreshed_at !== null) return { type: 'remove' }
  if (source.generation === 0) {
    const changes = buildErrorColumns('error', failure.message)
    return { type: 'finalize', changes: isPageGone ? { ...changes, refreshed_at: now } : changes }
  }
  if (!isPageGone) return { type: 'finalize', changes: buildErrorColumns('ready', failure.message) }
  const date = GONE_SINCE.exec(source.error ?? '')?.[1] ?? new Date(now).toISOString().slice(0, 10)
  return { type: 'finalize', changes: buildErrorColumns('ready', `Gone since ${date}: ${failure.message}`) }
}

function buildErrorColumns(status: 'error' | 'ready', message: string): Pick<KnowledgeSourceRow, 'status' | 'error'> {
  return { status, error: message.slice(0, MAX_ERROR_CHARACTERS) }
}

/** A crawled page and its redirect target. */
interface CrawledPageState {
  readonly identity: string
  /** Identity of the URL after redirects. */
  readonly finalIdentity: string
  readonly isFirstPage: boolean
  readonly isTargetWithinSite: boolean
  /** Site of another source that already has the target URL, or null if there is none. */
  readonly conflict: 'same-site' | 'other-site' | null
}

/**
 * Decides what to do with a redirected page. A page moves to a target within its site that no other source has. Otherwise, it is
 * dropped. The first page is kept unless the site already contains the target, because its links lead to the other pages.
 */
export function decidePageAction(page: CrawledPageState): 'keep' | 'move' | 'drop' {
  const { identity, finalIdentity, isFirstPage, isTargetWithinSite, conflict } = page
  if (identity === finalIdentity) return 'keep'
  if (conflict === 'same-site') return 'drop'
  if (conflict === null && isTargetWithinSite) return 'move'
  return isFirstPage ? 'keep' : 'drop'
}
