import type { Clock } from '@parley/engine/ports'
import { loadBase, loadNewVectors, shouldLoadVectors } from './base-loader.ts'
import {
  createYieldToEventLoop,
  type IndexThread,
  IndexThreadLostError,
  type IndexWorker,
  type LoadContext,
  type YieldToEventLoop,
} from './index-worker.ts'
import { createEmptyBase, type IndexedBase } from './indexed-base.ts'
import type { RetrievalStore } from './retrieval-store.ts'

interface BaseIndexesOptions {
  readonly store: RetrievalStore
  readonly clock: Clock
  readonly worker: IndexWorker
  /** Model of the loaded vectors, or null to load none. */
  readonly model: string | null
  /** Maximum size of all loaded indexes. The most recently used base stays loaded even if it is larger. */
  readonly cacheBytes: number
  readonly logError: (name: string, error: unknown) => void
}

/** Number of consecutive thread crashes after which a base is paused to protect other bases. */
const MAX_CRASHES = 2
const CRASH_PAUSE_MS = 60_000

/** Keeps the indexes of recently searched knowledge bases in a worker thread. */
export class BaseIndexes {
  readonly #options: BaseIndexesOptions
  #thread: IndexThread | null = null
  /** Loaded bases, ordered from least to most recently used. */
  readonly #bases = new Map<string, IndexedBase>()
  readonly #loads = new Map<IndexedBase, Promise<void>>()
  readonly #crashes = new Map<string, { count: number; untilMs: number }>()
  readonly #yieldIfDue: YieldToEventLoop
  #isClosed = false

  constructor(options: BaseIndexesOptions) {
    this.#options = options
    this.#yieldIfDue = createYieldToEventLoop(options.clock)
  }

  /**
   * Updates knowledge bases to at least the given revisions and keeps them loaded during `work`. Concurrent callers share the
   * updates.
   */
  async use<Result>(
    revisions: ReadonlyMap<string, number>,
    work: (thread: IndexThread) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new RetrievalError('The server is stopping.')
    for (const id of revisions.keys()) this.#throwIfPaused(id)
    const thread = this.#getThread()
    const bases = [...revisions].map(([id, revision]) => ({ base: this.#acquire(id), revision }))
    try {
      await Promise.all(bases.map(({ base, revision }) => this.#updateTo(base, revision, thread)))
      return await work(thread)
    } finally {
      for (const { base } of bases) base.userCount -= 1
      this.#evict()
    }
  }

  /** Drops the index of a deleted knowledge base. */
  async dropDeleted(id: string): Promise<void> {
    const base = this.#bases.get(id)
    // Keeps the index of a base that belongs to another workspace.
    if (base === undefined || (await this.#options.store.readRevision(id)) !== null) return
    if (base.userCount === 0 && this.#bases.get(id) === base) this.#drop(id)
  }

  /** Returns the estimated size of all loaded indexes. */
  get sizeBytes(): number {
    return [...this.#bases.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  /** Stops pending loads and the worker. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#options.worker.close()
    await Promise.allSettled(this.#loads.values())
  }

  /** Returns the running thread. A new thread starts without indexes. */
  #getThread(): IndexThread {
    if (this.#thread === null || this.#thread.isLost) {
      this.#thread = this.#options.worker.getThread()
      this.#bases.clear()
    }
    return this.#thread
  }

  #acquire(id: string): IndexedBase {
    const base = this.#bases.get(id) ?? createEmptyBase(id)
    this.#bases.delete(id)
    this.#bases.set(id, base)
    base.userCount += 1
    return base
  }

  async #updateTo(base: IndexedBase, revision: number, thread: IndexThread): Promise<void> {
    while (base.revision < revision) {
      const load =
        this.#loads.get(base) ?? this.#startLoad(base, (context) => loadBase(base, revision, context), thread)
      await load
    }
    const { clock, model, logError } = this.#options
    if (model === null || this.#loads.has(base) || !shouldLoadVectors(base, clock.now())) return
    // Loads vectors in the background. Until they are loaded, searches use keywords only.
    this.#startLoad(base, (context) => loadNewVectors(base, context), thread).catch((error: unknown) => {
      if (!this.#isClosed) logError('load vectors', error)
    })
  }

  /** Starts the only load of a base. The load continues if its callers stop waiting. */
  #startLoad(base: IndexedBase, load: (context: LoadContext) => Promise<void>, thread: IndexThread): Promise<void> {
    const { store, clock, model } = this.#options
    const throwIfClosed = (): void => {
      if (this.#isClosed || thread.isLost) throw new IndexThreadLostError()
    }
    base.userCount += 1
    const loadPromise = load({ store, thread, clock, model, throwIfClosed, yieldIfDue: this.#yieldIfDue })
      .then(
        () => void this.#crashes.delete(base.knowledgeBaseId),
        (error: unknown) => {
          if (error instanceof IndexThreadLostError && !this.#isClosed) this.#recordCrash(base)
          throw error
        },
      )
      .finally(() => {
        this.#loads.delete(base)
        base.userCount -= 1
        this.#evict()
      })
    // Prevents an unhandled rejection if no caller waits for the load.
    loadPromise.catch(() => undefined)
    this.#loads.set(base, loadPromise)
    return loadPromise
  }

  #recordCrash({ knowledgeBaseId }: IndexedBase): void {
    const count = (this.#crashes.get(knowledgeBaseId)?.count ?? 0) + 1
    const untilMs = this.#options.clock.now() + (count < MAX_CRASHES ? 0 : CRASH_PAUSE_MS)
    this.#crashes.set(knowledgeBaseId, { count, untilMs })
  }

  #throwIfPaused(knowledgeBaseId: string): void {
    const untilMs = this.#crashes.get(knowledgeBaseId)?.untilMs ?? 0
    if (this.#options.clock.now() >= untilMs) return
    throw new RetrievalError('A knowledge base could not be prepared for search. It will be retried in a minute.')
  }

  /** Drops the least recently used bases until the rest fit in the cache. */
  #evict(): void {
    let excessBytes = this.sizeBytes - this.#options.cacheBytes
    const latestId = [...this.#bases.keys()].at(-1)
    for (const [id, base] of this.#bases) {
      if (excessBytes <= 0) return
      if (base.userCount > 0 || id === latestId) continue
      excessBytes -= base.sizeBytes
      this.#drop(id)
    }
  }

  #drop(id: string): void {
    this.#bases.delete(id)
    this.#thread?.drop(id).catch(() => undefined)
  }
}

/** Thrown if a search is not possible. The message explains the reason to the agent's author. */
export class RetrievalError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RetrievalError'
  }
}
