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
  readonly yieldIfDue: YieldToEventLoop
}

/** Yields to the event loop if the current work has taken too long. */
export type YieldToEventLoop = () => Promise<void>

/** Maximum duration of uninterrupted work on the main thread. */
const MAX_BLOCKING_MS = 3

/**
 * Creates a function that yields to the event loop if the current work has taken too long. Awaiting a fast thread or the
 * embedded database does not yield to the event loop.
 */
export function createYieldToEventLoop(clock: Clock): YieldToEventLoop {
  let yieldedAtMs = clock.now()
  return async () => {
    if (clock.now() - yieldedAtMs < MAX_BLOCKING_MS) return
    // Does not use the clock, so that tests do not need to advance time.
    await scheduler.yield()
    yieldedAtMs = clock.now()
  }
}

/** Limits the number of concurrent tasks. */
interface ConcurrencyLimit {
  /** Adds a running task and waits while the limit is reached. Rejects if an earlier task failed. */
  add(task: Promise<unknown>): Promise<void>
  /** Waits for all tasks. */
  finish(): Promise<void>
}

export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  const pendingTasks: Promise<unknown>[] = []
  return {
    async add(task) {
      // Prevents an unhandled rejection. A later `add` or `finish` reports the error.
      task.catch(() => undefined)
      pendingTasks.push(task)
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

/** Vectors of passages, stored consecutively in `values`. The buffer is transferred. */
export interface VectorPage {
  readonly dimensions: number
  readonly values: Float32Array<ArrayBuffer>
  /** The passage that each vector belongs to. */
  readonly locations: readonly { readonly key: string; readonly position: number }[]
  /** Keys of segments whose vectors are complete. They become searchable and replace earlier segments. */
  readonly completeKeys: readonly string[]
}

/** The outcome of an index change. */
export interface IndexChange {
  /** Keys of segments that are damaged or have an unsupported version. */
  readonly unreadable: readonly string[]
  /** Estimated memory of the knowledge base's index. */
  readonly sizeBytes: number
}

/**
 * A thread that keeps indexes in memory and processes changes and searches in order. All methods reject with
 * `IndexThreadLostError` after the thread has ended.
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

/** Runs the thread that keeps indexes in memory. */
export interface IndexWorker {
  /** Returns the running thread and starts one if needed. */
  getThread(): IndexThread
  /** Stops the thread. All later calls reject. */
  close(): Promise<void>
}

/** Thrown if the thread ended. Its content must be loaded into the next thread. `cause` is the thread's error, if any. */
export class IndexThreadLostError extends Error {
  constructor(cause?: Error) {
    super('The index thread has ended.', { cause })
    this.name = 'IndexThreadLostError'
  }
}
