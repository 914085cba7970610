import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { FetchedPage, UnreadableDocument } from '../knowledge-ports.ts'
import { DOCUMENT_ATTEMPTS, PAGE_ATTEMPTS } from './ingest-retries.ts'

/** Why a source was not read. */
export type ReadingFailure =
  | (Extract<FetchedPage, { ok: false }> & { readonly of: 'page' })
  | (UnreadableDocument & { readonly of: 'document' })
  | { readonly of: 'nothing'; readonly message: string; readonly retryable: false }

/** What a failure comes to. `settle`: the columns of the source. */
export type FailureDecision =
  | { readonly type: 'retry' }
  | { readonly type: 'remove' }
  | { readonly type: 'finalize'; readonly changes: Partial<KnowledgeSourceRow> }

const GONE_SINCE = /^Gone since (\S+): /
const MAX_ERROR_CHARACTERS = 1_000

/**
 * What becomes of a source that could not be read in its `attempt`-th try: what may pass is tried again; a page of a site that
 * is gone when it is looked at again is dropped; else its owner learns why, and what was read before stays.
 */
export function decideFailure(
  source: Pick<KnowledgeSourceRow, 'generation' | 'crawl_path' | 'error' | 'refreshed_at'>,
  failure: ReadingFailure,
  { attempt, now }: { readonly attempt: number; readonly now: number },
): FailureDecision {
  const attempts = failure.of === 'page' ? PAGE_ATTEMPTS : DOCUMENT_ATTEMPTS
  if (failure.retryable && attempt < attempts) return { type: 'retry' }
  const isPageGone = failure.of === 'page' && failure.reason === 'gone'
  if (isPageGone && source.crawl_path !== null && source.refreshed_at !== null) return { type: 'remove' }
  if (source.generation === 0) {
    const changes = failed('error', failure.message)
    return { type: 'finalize', changes: isPageGone ? { ...changes, refreshed_at: now } : changes }
  }
  if (!isPageGone) return { type: 'finalize', changes: failed('ready', failure.message) }
  const since = GONE_SINCE.exec(source.error ?? '')?.[1] ?? new Date(now).toISOString().slice(0, 10)
  return { type: 'finalize', changes: failed('ready', `Gone since ${since}: ${failure.message}`) }
}

function failed(status: 'error' | 'ready', message: string): Pick<KnowledgeSourceRow, 'status' | 'error'> {
  return { status, error: message.slice(0, MAX_ERROR_CHARACTERS) }
}

/** A page of a site as it stands among the others. */
export interface CrawledPageState {
  readonly identity: string
  /** Of the address that it was found under after redirects. */
  readonly finalIdentity: string
  /** It is the page that the site is named by. */
  readonly isFirst: boolean
  /** The address is one of the site. */
  readonly isWithin: boolean
  /** Another source that is the page it leads to: one of the same site, or not; null when there is none. */
  readonly other: 'of-site' | 'elsewhere' | null
}

/**
 * What becomes of a page of a site that led elsewhere: it is dropped when that is there or outside, else it moves. The page
 * that a site is named by stays unless another one of the site stands for it: the others are found by its links.
 */
export function decidePageAction(page: CrawledPageState): 'keep' | 'move' | 'drop' {
  const { identity, finalIdentity, isFirst, isWithin, other } = page
  if (identity === finalIdentity) return 'keep'
  if (other === 'of-site') return 'drop'
  if (other === null && isWithin) return 'move'
  return isFirst ? 'keep' : 'drop'
}
