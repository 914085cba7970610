/** A source whose segments are in the index. */
export interface IndexedSource extends SourceGeneration {
  readonly chunkCount: number
  /** The source's segments, each with the position of its first passage. */
  readonly segments: readonly { readonly key: string; readonly from: number }[]
  /** Whether the vectors were looked up after the source was loaded. */
  hasReadVectors: boolean
  /** Number of passages with a vector in the index. */
  vectorCount: number
}

/** State of a knowledge base's index in the thread. */
export interface IndexedBase {
  readonly knowledgeBaseId: string
  /** The index is complete up to this revision. -1 before the first load. */
  revision: number
  readonly sources: Map<string, IndexedSource>
  /** Segments that an interrupted load may have left in the index without a source. */
  readonly orphanedSegments: Set<string>
  /** Revision at the last lookup of later vectors. */
  vectorRevision: number
  vectorsReadAtMs: number
  sizeBytes: number
  /** Number of searches and loads that currently use the index. */
  users: number
}

export function createEmptyBase(knowledgeBaseId: string): IndexedBase {
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

/** Finds the key of the segment that contains a passage. */
export function findSegmentKey(source: IndexedSource, position: number): string {
  return source.segments.findLast(({ from }) => from <= position)?.key ?? formatSegmentKey(source)
}

/** One generation of a source. */
export interface SourceGeneration {
  readonly sourceId: string
  readonly generation: number
}

/**
 * Formats the key of a source's segment. A source that was indexed from passages has several segments, each with its first
 * position.
 */
export function formatSegmentKey({ sourceId, generation }: SourceGeneration, from?: number): string {
  const key = `${sourceId}@${generation}`
  return from === undefined ? key : `${key}+${from}`
}

/** Parses a key that `formatSegmentKey` created. */
export function parseSegmentKey(key: string): SourceGeneration {
  const separatorIndex = key.lastIndexOf('@')
  const [generation = ''] = key.slice(separatorIndex + 1).split('+')
  return { sourceId: key.slice(0, separatorIndex), generation: Number(generation) }
}
