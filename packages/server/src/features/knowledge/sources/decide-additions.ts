import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { RequestedSource } from './read-sources.ts'
import { buildTitledIdentity } from './read-sources.ts'

/** The fields of an existing source that determine what happens when it is added again. */
export interface ExistingSource {
  readonly sourceId: string
  readonly identity: string
  readonly kind: string
  readonly title: string
  readonly status: string
  readonly error: string | null
  readonly generation: number
  readonly crawlPath: string | null
}

/** A change to an existing source. */
export interface SourceChange {
  readonly sourceId: string
  readonly title: string
  /** Status of the next ingestion run, or null if no run is needed. */
  readonly nextStatus: 'processing' | 'refreshing' | null
}

export interface AdditionPlan {
  readonly addedSources: readonly RequestedSource[]
  readonly changes: readonly SourceChange[]
  /** Whether the knowledge base would exceed its source limit. */
  readonly exceedsLimit: boolean
}

/**
 * Decides which sources to add and which existing sources to change. Existing pages, and existing content with the same title,
 * are not added again, but are reread if they failed. Existing content with another title is added as a separate source.
 * Crawled pages that are added by URL remain when their site is removed.
 */
export function decideAdditions(
  requestedSources: readonly RequestedSource[],
  existingSources: readonly ExistingSource[],
  existingCount: number,
): AdditionPlan {
  const titleByIdentity = new Map<string, Pick<ExistingSource, 'title'>>(
    existingSources.map((source) => [source.identity, source]),
  )
  const requestedByIdentity = new Map<string, RequestedSource>()
  for (const source of requestedSources) {
    const identity = decideIdentity(source, titleByIdentity)
    const earlierSource = requestedByIdentity.get(identity)
    const title = earlierSource === undefined || earlierSource.title === '' ? source.title : earlierSource.title
    requestedByIdentity.set(identity, { ...(earlierSource ?? source), identity, title })
    titleByIdentity.set(identity, { title: title || (titleByIdentity.get(identity)?.title ?? '') })
  }
  const existingByIdentity = new Map(existingSources.map((source) => [source.identity, source]))
  const addedSources: RequestedSource[] = []
  const changes: SourceChange[] = []
  for (const source of requestedByIdentity.values()) {
    const match = existingByIdentity.get(source.identity)
    if (match === undefined) {
      addedSources.push(source)
      continue
    }
    const title = source.title === '' ? match.title : source.title
    const nextStatus = decideNextStatus(match)
    if (title !== match.title || nextStatus !== null || match.crawlPath !== null) {
      changes.push({ sourceId: match.sourceId, title, nextStatus })
    }
  }
  return {
    addedSources,
    changes,
    exceedsLimit: addedSources.length > 0 && existingCount + addedSources.length > MAX_SOURCES,
  }
}

/** Returns the identities under which a source may already exist. */
export function listPossibleIdentities({ kind, identity, title }: RequestedSource): string[] {
  return kind === 'url' || title === '' ? [identity] : [identity, buildTitledIdentity(identity, title)]
}

/** Decides the identity of a source. Content that exists with another title gets a separate identity. */
function decideIdentity(
  source: RequestedSource,
  titleByIdentity: ReadonlyMap<string, Pick<ExistingSource, 'title'>>,
): string {
  const [plainIdentity = source.identity, titledIdentity] = listPossibleIdentities(source)
  if (titledIdentity === undefined) return plainIdentity
  if (titleByIdentity.has(titledIdentity)) return titledIdentity
  const match = titleByIdentity.get(plainIdentity)
  return match === undefined || match.title === '' || match.title === source.title ? plainIdentity : titledIdentity
}

function decideNextStatus({ kind, status, error, generation }: ExistingSource): SourceChange['nextStatus'] {
  const hasFailed = status === 'error' || (status === 'ready' && kind === 'url' && error !== null)
  if (!hasFailed) return null
  return generation > 0 ? 'refreshing' : 'processing'
}
