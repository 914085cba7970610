import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import type { IndexHit, IndexQuery } from '@parley/retrieval/lexical/search'

/** The prepared index of a source, in the parts in which it was read. Their buffers are given away. */
export interface SegmentParts {
  readonly key: string
  readonly parts: readonly Uint8Array<ArrayBuffer>[]
}

/** Vectors of passages of some segments, one after another in `numbers`, which is given away. */
export interface VectorPage {
  readonly dimensions: number
  readonly numbers: Float32Array<ArrayBuffer>
  /** Whose vector each is. */
  readonly places: readonly { readonly key: string; readonly position: number }[]
  /** Segments whose vectors are all there now: they count from here on and replace earlier ones. */
  readonly complete: readonly string[]
}

/** What a change came to. */
export interface Changed {
  /** Segments that could not be read: of another version, or broken. */
  readonly unreadable: readonly string[]
  /** Memory of the knowledge base's index, estimated. */
  readonly sizeBytes: number
}

/**
 * A thread that holds indexes. Its changes and searches happen in the order in which they are asked for. All of it rejects with
 * `IndexThreadLostError` when the thread is gone, and with it everything that it held.
 */
export interface IndexThread {
  readonly isLost: boolean
  add(knowledgeBaseId: string, segments: readonly SegmentParts[]): Promise<Changed>
  /** Makes a segment of passages, for one that could not be read. */
  build(knowledgeBaseId: string, key: string, chunks: readonly IndexedChunk[]): Promise<Changed>
  addVectors(knowledgeBaseId: string, page: VectorPage): Promise<Changed>
  remove(knowledgeBaseId: string, keys: readonly string[]): Promise<Changed>
  /** Forgets a whole knowledge base. */
  drop(knowledgeBaseId: string): Promise<void>
  /** Searches several knowledge bases as if they were one; `IndexHit.index` counts them. One that it does not hold is empty. */
  search(knowledgeBaseIds: readonly string[], query: IndexQuery): Promise<readonly IndexHit[]>
}

/** Where indexes are held: not on the main thread. */
export interface IndexWorker {
  /** The thread that runs now; started when there is none. */
  thread(): IndexThread
  /** Ends the thread; later ones are lost from the beginning. */
  close(): Promise<void>
}

/** The thread ended, and what it held is to be put into the next one. `cause`: the error that ended it, where one did. */
export class IndexThreadLostError extends Error {
  constructor(cause?: Error) {
    super('The thread of the indexes has ended.', { cause })
    this.name = 'IndexThreadLostError'
  }
}
