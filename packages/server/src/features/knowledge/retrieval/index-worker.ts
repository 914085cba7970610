import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'
import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import type { IndexHit, IndexQuery } from '@parley/retrieval/lexical/search'
import type { RetrievalStore } from './retrieval-store.ts'

/** What loading a knowledge base needs, including fair scheduling. */
export interface LoadContext {
  readonly store: RetrievalStore
  readonly thread: IndexThread
  readonly clock: Clock
  /** Model of the loaded vectors; null for none. */
  readonly model: string | null
  /** Throws when loading must stop. */
  readonly checkOpen: () => void
  /** Call between statements. */
  readonly yieldIfDue: YieldToEventLoop
}

/** Yields to the event loop after a long stretch of work. */
export type YieldToEventLoop = () => Promise<void>

/** Longest uninterrupted work on the main thread. */
const MAX_BLOCKING_MS = 3

/**
 * For work whose awaits do not yield: responses of a fast thread or the embedded database arrive without a turn of the
 * event loop. All users share one budget.
 */
export function createYielding(clock: Clock): YieldToEventLoop {
  let yieldedAtMs = clock.now()
  return async () => {
    if (clock.now() - yieldedAtMs < MAX_BLOCKING_MS) return
    // Not a clock timer: tests need not advance time for it.
    await scheduler.yield()
    yieldedAtMs = clock.now()
  }
}

/** Bounds concurrent work. */
interface ConcurrencyLimit {
  /** Adds started work, waiting while the limit is reached. Rejects with the error of earlier work. */
  add(work: Promise<unknown>): Promise<void>
  /** Waits for all added work. */
  finish(): Promise<void>
}

/** Allows `limit` concurrent pieces of work. */
export function limitConcurrency(limit: number): ConcurrencyLimit {
  const pending: Promise<unknown>[] = []
  return {
    async add(work) {
      // The error surfaces in the next wait, which may come later.
      work.catch(() => undefined)
      pending.push(work)
      if (pending.length >= limit) await pending.shift()
    },
    async finish() {
      await Promise.all(pending.splice(0))
    },
  }
}

/** The prepared index of a source in its stored parts. The buffers are transferred. */
export interface SegmentParts {
  readonly key: string
  readonly parts: readonly Uint8Array<ArrayBuffer>[]
}

/** Vectors of passages, consecutive in `numbers`, which is transferred. */
export interface VectorPage {
  readonly dimensions: number
  readonly numbers: Float32Array<ArrayBuffer>
  /** The passage of each vector. */
  readonly places: readonly { readonly key: string; readonly position: number }[]
  /** Segments whose vectors are complete: they become searchable and replace earlier ones. */
  readonly complete: readonly string[]
}

/** Result of a change. */
export interface Changed {
  /** Segments that could not be read because of another version or damage. */
  readonly unreadable: readonly string[]
  /** Estimated memory of the knowledge base's index. */
  readonly sizeBytes: number
}

/**
 * A thread that holds indexes and runs changes and searches in order. Everything rejects with `IndexThreadLostError`
 * when the thread is gone with its content.
 */
export interface IndexThread {
  readonly isLost: boolean
  add(knowledgeBaseId: string, segments: readonly SegmentParts[]): Promise<Changed>
  /** Builds a segment from passages when the prepared one is unreadable. */
  build(knowledgeBaseId: string, key: string, chunks: readonly IndexedChunk[]): Promise<Changed>
  addVectors(knowledgeBaseId: string, page: VectorPage): Promise<Changed>
  remove(knowledgeBaseId: string, keys: readonly string[]): Promise<Changed>
  /** Drops a whole knowledge base. */
  drop(knowledgeBaseId: string): Promise<void>
  /**
   * Searches several knowledge bases as one; `IndexHit.index` identifies them. One that is not loaded counts as empty.
   */
  search(knowledgeBaseIds: readonly string[], query: IndexQuery): Promise<readonly IndexHit[]>
}

/** Holds indexes off the main thread. */
export interface IndexWorker {
  /** The running thread, started when needed. */
  thread(): IndexThread
  /** Stops the thread; later ones are lost at once. */
  close(): Promise<void>
}

/** The thread ended, and its content must be loaded into the next one. `cause`: its error, if any. */
export class IndexThreadLostError extends Error {
  constructor(cause?: Error) {
    super('The index thread has ended.', { cause })
    this.name = 'IndexThreadLostError'
  }
}
