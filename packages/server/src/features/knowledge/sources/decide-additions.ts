import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { RequestedSource } from './read-sources.ts'
import { titledIdentity } from './source-identity.ts'

/** A source that is there, as far as adding the same one again goes. */
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

/** What adding does to a source that is there. */
export interface SourceChange {
  readonly sourceId: string
  readonly title: string
  /** The status of the reading that begins; null when nothing is read again. */
  readonly readAs: 'processing' | 'refreshing' | null
}

export interface Additions {
  readonly added: readonly RequestedSource[]
  readonly changed: readonly SourceChange[]
  /** More sources than a knowledge base can have. */
  readonly tooMany: boolean
}

/**
 * Decides what adding does to each source that a request names. A page, or content with the same title, is there once and is read
 * again only after a failure. Content under another title is another source. A title names a source that has none, and renames a
 * page. A page that a crawl found is kept when it is added by its address.
 */
export function decideAdditions(
  requested: readonly RequestedSource[],
  existing: readonly ExistingSource[],
  existingCount: number,
): Additions {
  const known = new Map<string, Pick<ExistingSource, 'title'>>(existing.map((source) => [source.identity, source]))
  const named = new Map<string, RequestedSource>()
  for (const source of requested) {
    const identity = identityOf(source, known)
    const earlier = named.get(identity)
    const title = earlier === undefined || earlier.title === '' ? source.title : earlier.title
    named.set(identity, { ...(earlier ?? source), identity, title })
    known.set(identity, { title: title || (known.get(identity)?.title ?? '') })
  }
  const byIdentity = new Map(existing.map((source) => [source.identity, source]))
  const added: RequestedSource[] = []
  const changed: SourceChange[] = []
  for (const source of named.values()) {
    const match = byIdentity.get(source.identity)
    if (match === undefined) {
      added.push(source)
      continue
    }
    const title = source.title === '' ? match.title : source.title
    const readAs = readingOf(match)
    if (title !== match.title || readAs !== null || match.crawlPath !== null) {
      changed.push({ sourceId: match.sourceId, title, readAs })
    }
  }
  return { added, changed, tooMany: added.length > 0 && existingCount + added.length > MAX_SOURCES }
}

/** The identities that a source may be there under. */
export function possibleIdentities({ kind, identity, title }: RequestedSource): string[] {
  return kind === 'url' || title === '' ? [identity] : [identity, titledIdentity(identity, title)]
}

/** Content that is there under another title gets an identity of its own. */
function identityOf(source: RequestedSource, known: ReadonlyMap<string, Pick<ExistingSource, 'title'>>): string {
  const [plain = source.identity, titled] = possibleIdentities(source)
  if (titled === undefined) return plain
  if (known.has(titled)) return titled
  const match = known.get(plain)
  return match === undefined || match.title === '' || match.title === source.title ? plain : titled
}

function readingOf({ kind, status, error, generation }: ExistingSource): SourceChange['readAs'] {
  const failed = status === 'error' || (status === 'ready' && kind === 'url' && error !== null)
  if (!failed) return null
  return generation > 0 ? 'refreshing' : 'processing'
}
