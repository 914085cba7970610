import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { RequestedSource } from './read-sources.ts'
import { buildTitledIdentity } from './read-sources.ts'

/** The fields of an existing source that matter when the source is added again. */
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

export interface Additions {
  readonly added: readonly RequestedSource[]
  readonly changed: readonly SourceChange[]
  /** Whether the knowledge base would exceed its source limit. */
  readonly tooMany: boolean
}

/**
 * Decides how each requested source affects existing ones. A page, or content with the same title, is stored once and is reread
 * only after a failure. Content with another title becomes another source. A title names an untitled source and renames a page.
 * Adding a crawled page by URL makes it permanent.
 */
export function decideAdditions(
  requested: readonly RequestedSource[],
  existing: readonly ExistingSource[],
  existingCount: number,
): Additions {
  const titleByIdentity = new Map<string, Pick<ExistingSource, 'title'>>(
    existing.map((source) => [source.identity, source]),
  )
  const requestedByIdentity = new Map<string, RequestedSource>()
  for (const source of requested) {
    const identity = decideIdentity(source, titleByIdentity)
    const earlierSource = requestedByIdentity.get(identity)
    const title = earlierSource === undefined || earlierSource.title === '' ? source.title : earlierSource.title
    requestedByIdentity.set(identity, { ...(earlierSource ?? source), identity, title })
    titleByIdentity.set(identity, { title: title || (titleByIdentity.get(identity)?.title ?? '') })
  }
  const existingByIdentity = new Map(existing.map((source) => [source.identity, source]))
  const added: RequestedSource[] = []
  const changed: SourceChange[] = []
  for (const source of requestedByIdentity.values()) {
    const match = existingByIdentity.get(source.identity)
    if (match === undefined) {
      added.push(source)
      continue
    }
    const title = source.title === '' ? match.title : source.title
    const nextStatus = decideNextStatus(match)
    if (title !== match.title || nextStatus !== null || match.crawlPath !== null) {
      changed.push({ sourceId: match.sourceId, title, nextStatus })
    }
  }
  return { added, changed, tooMany: added.length > 0 && existingCount + added.length > MAX_SOURCES }
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
  const failed = status === 'error' || (status === 'ready' && kind === 'url' && error !== null)
  if (!failed) return null
  return generation > 0 ? 'refreshing' : 'processing'
}
