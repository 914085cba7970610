/** A source whose segments are in the index. */
export interface IndexedSource extends SourceGeneration {
  readonly chunkCount: number
  /** The source's segments, each with the position of its first passage. */
  readonly segments: readonly { readonly key: string; readonly firstPosition: number }[]
  /** Whether the vectors have been read since the source was loaded. */
  hasReadVectors: boolean
  /** Number of passages with a vector in the index. */
  vectorCount: number
}

/** A knowledge base whose index is in the thread. */
export interface IndexedBase {
  readonly knowledgeBaseId: string
  /** Revision of the loaded index, or -1 before the first load. */
  revision: number
  readonly sources: Map<string, IndexedSource>
  /** Segments that an interrupted load may have left in the index without a source. */
  readonly orphanedSegments: Set<string>
  /** Revision at the last check for missing vectors. */
  vectorRevision: number
  vectorsReadAtMs: number
  sizeBytes: number
  /** Number of searches and loads that currently use the index. */
  userCount: number
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
    userCount: 0,
  }
}

/** Finds the key of the segment that contains a passage. */
export function findSegmentKey(source: IndexedSource, position: number): string {
  return source.segments.findLast(({ firstPosition }) => firstPosition <= position)?.key ?? formatSegmentKey(source)
}

/** One generation of a source. */
export interface SourceGeneration {
  readonly sourceId: string
  readonly generation: number
}

/**
 * Formats the key of a source's segment. A source that was rebuilt from its passages has several segments, each identified by
 * its first position.
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
