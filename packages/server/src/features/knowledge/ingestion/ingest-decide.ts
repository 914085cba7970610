import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { FetchedPage, UnreadableDocument } from '../knowledge-ports.ts'
import { DOCUMENT_ATTEMPTS, PAGE_ATTEMPTS } from './ingest-job.ts'

/** The reason why a source was not read. */
export type IngestFailure =
  | (Extract<FetchedPage, { ok: false }> & { readonly kind: 'page' })
  | (UnreadableDocument & { readonly kind: 'document' })
  | { readonly kind: 'source'; readonly message: string; readonly retryable: false }

/** The action after a failure. `changes` contains the new column values of the source. */
type FailureDecision =
  | { readonly type: 'retry' }
  | { readonly type: 'remove' }
  | { readonly type: 'finalize'; readonly changes: Partial<KnowledgeSourceRow> }

const GONE_SINCE = /^Gone since (\S+): /
const MAX_ERROR_CHARACTERS = 1_000

/**
 * Decides what happens after attempt number `attempt` fails. Temporary failures are retried, and a refresh removes vanished
 * pages of a site. Otherwise, the owner gets an error and the earlier content stays.
 */
export function decideFailure(
  source: Pick<KnowledgeSourceRow, 'generation' | 'crawl_path' | 'error' | 'refreshed_at'>,
  failure: IngestFailure,
  { attempt, now }: { readonly attempt: number; readonly now: number },
): FailureDecision {
  const attempts = failure.kind === 'page' ? PAGE_ATTEMPTS : DOCUMENT_ATTEMPTS
  if (failure.retryable && attempt < attempts) return { type: 'retry' }
  const isPageGone = failure.kind === 'page' && failure.reason === 'gone'
  if (isPageGone && source.crawl_path !== null && source.refreshed_at !== null) return { type: 'remove' }
  if (source.generation === 0) {
    const changes = buildErrorColumns('error', failure.message)
    return { type: 'finalize', changes: isPageGone ? { ...changes, refreshed_at: now } : changes }
  }
  if (!isPageGone) return { type: 'finalize', changes: buildErrorColumns('ready', failure.message) }
  const since = GONE_SINCE.exec(source.error ?? '')?.[1] ?? new Date(now).toISOString().slice(0, 10)
  return { type: 'finalize', changes: buildErrorColumns('ready', `Gone since ${since}: ${failure.message}`) }
}

function buildErrorColumns(status: 'error' | 'ready', message: string): Pick<KnowledgeSourceRow, 'status' | 'error'> {
  return { status, error: message.slice(0, MAX_ERROR_CHARACTERS) }
}

/** A page of a site and its relation to other sources. */
interface CrawledPageState {
  readonly identity: string
  /** Identity of the URL after redirects. */
  readonly finalIdentity: string
  /** Whether the page is the first page of the site. */
  readonly isFirst: boolean
  /** Whether the URL after redirects belongs to the site. */
  readonly isWithin: boolean
  /**
   * Whether another source already has the target URL, and whether that source belongs to the same site. Null if the URL is free.
   */
  readonly conflict: 'same-site' | 'other-site' | null
}

/**
 * Decides what happens to a redirected page. The page is dropped if another source has the target or the target is outside
 * the site. Otherwise, it moves to the target. The first page stays unless another page of the site replaces it, because its
 * links lead to the others.
 */
export function decidePageAction(page: CrawledPageState): 'keep' | 'move' | 'drop' {
  const { identity, finalIdentity, isFirst, isWithin, conflict } = page
  if (identity === finalIdentity) return 'keep'
  if (conflict === 'same-site') return 'drop'
  if (conflict === null && isWithin) return 'move'
  return isFirst ? 'keep' : 'drop'
}
