import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { WantedSource } from './read-sources.ts'

/** A source that is there, as far as adding the same one again goes. */
export interface PresentSource {
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
  readonly added: readonly WantedSource[]
  readonly changed: readonly SourceChange[]
  /** More sources than a knowledge base can have. */
  readonly tooMany: boolean
}

/**
 * What becomes of the sources that a request names: each document is there once, however often it is named. One that is there
 * is not read again unless it could not be read. A title given for it renames it, and what was found by following links is kept
 * for its own sake from now on.
 */
export function decideAdditions(
  wanted: readonly WantedSource[],
  present: readonly PresentSource[],
  presentCount: number,
): Additions {
  const byIdentity = new Map(present.map((source) => [source.identity, source]))
  const added: WantedSource[] = []
  const changed: SourceChange[] = []
  for (const source of withoutRepeats(wanted)) {
    const there = byIdentity.get(source.identity)
    if (there === undefined) {
      added.push(source)
      continue
    }
    const title = source.title === '' ? there.title : source.title
    const readAs = readingOf(there)
    if (title !== there.title || readAs !== null || there.crawlPath !== null) {
      changed.push({ sourceId: there.sourceId, title, readAs })
    }
  }
  return { added, changed, tooMany: added.length > 0 && presentCount + added.length > MAX_SOURCES }
}

/** The first of each, with the first title that one of its repeats gives. */
function withoutRepeats(wanted: readonly WantedSource[]): WantedSource[] {
  const first = new Map<string, WantedSource>()
  for (const source of wanted) {
    const known = first.get(source.identity)
    if (known === undefined) first.set(source.identity, source)
    else if (known.title === '') first.set(source.identity, { ...known, title: source.title })
  }
  return [...first.values()]
}

function readingOf({ kind, status, error, generation }: PresentSource): SourceChange['readAs'] {
  const failed = status === 'error' || (status === 'ready' && kind === 'url' && error !== null)
  if (!failed) return null
  return generation > 0 ? 'refreshing' : 'processing'
}
