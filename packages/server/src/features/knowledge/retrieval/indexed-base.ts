import { type SourceGeneration, segmentKey } from './segment-key.ts'

/** A source whose segments are in the index. */
export interface IndexedSource extends SourceGeneration {
  readonly chunkCount: number
  /** Its segments, each with the position that its passages begin at. */
  readonly segments: readonly { readonly key: string; readonly from: number }[]
  /** Whether its vectors were looked for since it came. */
  hasReadVectors: boolean
  /** How many of its passages have a vector there. */
  vectorCount: number
}

/** What the thread's index of a knowledge base holds. */
export interface IndexedBase {
  readonly knowledgeBaseId: string
  /** Everything up to this revision is in it; -1 until it was loaded once. */
  revision: number
  readonly sources: Map<string, IndexedSource>
  /** Segments that are, or may be, in the index without a source here: a load ended before it knew. */
  readonly orphanedSegments: Set<string>
  /** Vectors that came later were looked for at this revision, and then. */
  vectorRevision: number
  vectorsReadAtMs: number
  sizeBytes: number
  /** Searches and loads that need it right now. */
  users: number
}

/** Nothing, to begin with. */
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
