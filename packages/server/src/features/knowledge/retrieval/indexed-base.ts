/** A source whose segments are in the index. */
export interface IndexedSource extends SourceGeneration {
  readonly chunkCount: number
  /** Its segments, each with the position of its first passage. */
  readonly segments: readonly { readonly key: string; readonly from: number }[]
  /** Whether its vectors were looked up after it was loaded. */
  hasReadVectors: boolean
  /** Number of its passages with a vector in the index. */
  vectorCount: number
}

/** Content of the thread's index of a knowledge base. */
export interface IndexedBase {
  readonly knowledgeBaseId: string
  /** The index is complete up to this revision; -1 before the first load. */
  revision: number
  readonly sources: Map<string, IndexedSource>
  /** Segments that may be in the index without a source here, after an interrupted load. */
  readonly orphanedSegments: Set<string>
  /** Revision and time of the last lookup of later vectors. */
  vectorRevision: number
  vectorsReadAtMs: number
  sizeBytes: number
  /** Searches and loads that use it now. */
  users: number
}

export function emptyBase(knowledgeBaseId: string): IndexedBase {
  return {
    knowledgeBaseId,
    revision: -1,
    sources: new Map(),
    orphanedSegments: new Set(),
    vectorRevision: -1,
    vectorsReadAtMs: 0,
    sizeBytes: 0,
    users: 0,
  }
}

/** The segment that holds a passage of a source. */
export function segmentOf(source: IndexedSource, position: number): string {
  return source.segments.findLast(({ from }) => from <= position)?.key ?? segmentKey(source)
}

/** One generation of a source. */
export interface SourceGeneration {
  readonly sourceId: string
  readonly generation: number
}

/**
 * Key of a source's segment in the index. A source whose segments were built from passages has several, each with its
 * first position.
 */
export function segmentKey({ sourceId, generation }: SourceGeneration, from?: number): string {
  const key = `${sourceId}@${generation}`
  return from === undefined ? key : `${key}+${from}`
}

/** Reverses `segmentKey`. */
export function readSegmentKey(key: string): SourceGeneration {
  const split = key.lastIndexOf('@')
  const [generation = ''] = key.slice(split + 1).split('+')
  return { sourceId: key.slice(0, split), generation: Number(generation) }
}
