import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'
import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import type { IndexHit, IndexQuery } from '@parley/retrieval/lexical/search'
import type { RetrievalStore } from './retrieval-store.ts'

/** Dependencies for loading a knowledge base. */
export interface LoadContext {
  readonly store: RetrievalStore
  readonly thread: IndexThread
  readonly clock: Clock
  /** Model of the loaded vectors, or null to load none. */
  readonly model: string | null
  /** Throws if loading must stop. */
  readonly throwIfClosed: () => void
  /** Yields to the event loop if due. Call between statements. */
  readonly yieldIfDue: YieldToEventLoop
}

/** Yields to the event loop after a long stretch of work. */
export type YieldToEventLoop = () => Promise<void>

/** Longest uninterrupted work on the main thread. */
const MAX_BLOCKING_MS = 3

/**
 * Creates a function that yields to the event loop when the shared time budget is used up. Needed because responses of a fast
 * thread or the embedded database arrive without a turn of the event loop.
 */
export function createYieldToEventLoop(clock: Clock): YieldToEventLoop {
  let yieldedAtMs = clock.now()
  return async () => {
    if (clock.now() - yieldedAtMs < MAX_BLOCKING_MS) return
    // Does not use a clock timer, so that tests need not advance time.
    await scheduler.yield()
    yieldedAtMs = clock.now()
  }
}

/** Bounds concurrent work. */
interface ConcurrencyLimit {
  /** Adds started work and waits while the limit is reached. Rejects with the error of earlier work. */
  add(work: Promise<unknown>): Promise<void>
  /** Waits for all added work. */
  finish(): Promise<void>
}

/** Creates a limit that allows `limit` concurrent tasks. */
export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  const pendingTasks: Promise<unknown>[] = []
  return {
    async add(work) {
      // The next wait reports the error, possibly after the rejection.
      work.catch(() => undefined)
      pendingTasks.push(work)
      if (pendingTasks.length >= limit) await pendingTasks.shift()
    },
    async finish() {
      await Promise.all(pendingTasks.splice(0))
    },
  }
}

/** A source's prepared index, split into its stored parts. The buffers are transferred. */
export interface SegmentParts {
  readonly key: string
  readonly parts: readonly Uint8Array<ArrayBuffer>[]
}

/** Vectors of passages, stored consecutively in `numbers`. The buffer is transferred. */
export interface VectorPage {
  readonly dimensions: number
  readonly numbers: Float32Array<ArrayBuffer>
  /** The passage that each vector belongs to. */
  readonly places: readonly { readonly key: string; readonly position: number }[]
  /** Segments whose vectors are complete. They become searchable and replace earlier segments. */
  readonly complete: readonly string[]
}

/** The outcome of an index change. */
export interface IndexChange {
  /** Segments that could not be read because they are damaged or have another version. */
  readonly unreadable: readonly string[]
  /** Estimated memory of the knowledge base's index. */
  readonly sizeBytes: number
}

/**
 * A thread that holds indexes and processes changes and searches in order. All methods reject with `IndexThreadLostError` after
 * the thread has ended.
 */
export interface IndexThread {
  readonly isLost: boolean
  add(knowledgeBaseId: string, segments: readonly SegmentParts[]): Promise<IndexChange>
  /** Builds a segment from passages if the prepared segment is unreadable. */
  build(knowledgeBaseId: string, key: string, chunks: readonly IndexedChunk[]): Promise<IndexChange>
  addVectors(knowledgeBaseId: string, page: VectorPage): Promise<IndexChange>
  remove(knowledgeBaseId: string, keys: readonly string[]): Promise<IndexChange>
  /** Drops the index of a knowledge base. */
  drop(knowledgeBaseId: string): Promise<void>
  /**
   * Searches several knowledge bases as one. `IndexHit.index` identifies the knowledge base. A knowledge base that is not
   * loaded counts as empty.
   */
  search(knowledgeBaseIds: readonly string[], query: IndexQuery): Promise<readonly IndexHit[]>
}

/** Holds indexes off the main thread. */
export interface IndexWorker {
  /** Returns the running thread and starts one if needed. */
  getThread(): IndexThread
  /** Stops the thread. Threads requested later reject immediately. */
  close(): Promise<void>
}

/** Thrown if the thread ended. Its content must be loaded into the next thread. `cause` is the thread's error, if any. */
export class IndexThreadLostError extends Error {
  constructor(cause?: Error) {
    super('The index thread has ended.', { cause })
    this.name = 'IndexThreadLostError'
  }
}
