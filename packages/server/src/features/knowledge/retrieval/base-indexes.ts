import type { Clock } from '@parley/engine/ports'
import { canHaveVectors, loadBase, loadLaterVectors } from './base-loader.ts'
import { type IndexThread, IndexThreadLostError, type IndexWorker } from './index-worker.ts'
import { emptyBase, type IndexedBase } from './indexed-base.ts'
import { createYielding, type LoadContext, type YieldToEventLoop } from './load-throttling.ts'
import type { RetrievalStore } from './retrieval-store.ts'

export interface BaseIndexesOptions {
  readonly store: RetrievalStore
  readonly clock: Clock
  readonly worker: IndexWorker
  /** Whose vectors are loaded; null for none. */
  readonly model: string | null
  /** Of all that is held. The base that was used last stays even when it alone is larger. */
  readonly cacheBytes: number
  readonly logError: (name: string, error: unknown) => void
}

/** A base whose loading ended the thread this often in a row is left alone for a while: it would take the others along. */
const MAX_CRASHES = 2
const CRASH_PAUSE_MS = 60_000

/** The indexes of the knowledge bases that were searched last, in the thread of a worker. */
export class BaseIndexes {
  readonly #options: BaseIndexesOptions
  #thread: IndexThread | null = null
  /** What the thread holds; the one used last is the last. */
  readonly #bases = new Map<string, IndexedBase>()
  readonly #loads = new Map<IndexedBase, Promise<void>>()
  readonly #crashes = new Map<string, { count: number; untilMs: number }>()
  readonly #yieldIfDue: YieldToEventLoop
  #isClosed = false

  constructor(options: BaseIndexesOptions) {
    this.#options = options
    this.#yieldIfDue = createYielding(options.clock)
  }

  /** Brings knowledge bases to at least these revisions, several users at once with one load, and holds them during `work`. */
  async use<Result>(
    revisions: ReadonlyMap<string, number>,
    work: (thread: IndexThread) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new RetrievalError('The server is stopping.')
    for (const id of revisions.keys()) this.#checkCrashes(id)
    const thread = this.#liveThread()
    const bases = [...revisions].map(([id, revision]) => ({ indexed: this.#acquire(id), revision }))
    try {
      await Promise.all(bases.map(({ indexed, revision }) => this.#bring(indexed, revision, thread)))
      return await work(thread)
    } finally {
      for (const { indexed } of bases) indexed.users -= 1
      this.#evict()
    }
  }

  /** Drops what is held of a knowledge base that does not exist any more. */
  async dropDeleted(id: string): Promise<void> {
    const indexed = this.#bases.get(id)
    // One of another workspace is missing for this one as well.
    if (indexed === undefined || (await this.#options.store.readRevision(id)) !== null) return
    if (indexed.users === 0 && this.#bases.get(id) === indexed) this.#drop(id)
  }

  /** What is held, estimated. */
  get sizeBytes(): number {
    return [...this.#bases.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  /** Ends loads under way and the worker. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#options.worker.close()
    await Promise.allSettled(this.#loads.values())
  }

  /** With a new thread nothing is held any more. */
  #liveThread(): IndexThread {
    if (this.#thread === null || this.#thread.isLost) {
      this.#thread = this.#options.worker.thread()
      this.#bases.clear()
    }
    return this.#thread
  }

  #acquire(id: string): IndexedBase {
    const indexed = this.#bases.get(id) ?? emptyBase(id)
    this.#bases.delete(id)
    this.#bases.set(id, indexed)
    indexed.users += 1
    return indexed
  }

  async #bring(indexed: IndexedBase, revision: number, thread: IndexThread): Promise<void> {
    while (indexed.revision < revision) {
      const load =
        this.#loads.get(indexed) ?? this.#start(indexed, (context) => loadBase(indexed, revision, context), thread)
      await load
    }
    const { clock, model, logError } = this.#options
    if (model === null || this.#loads.has(indexed) || !canHaveVectors(indexed, clock.now())) return
    // Nobody waits for these: what was found by words before is found so until they are there.
    this.#start(indexed, (context) => loadLaterVectors(indexed, context), thread).catch((error: unknown) => {
      if (!this.#isClosed) logError('loading vectors', error)
    })
  }

  /** One load of a base at a time. It goes on when nobody waits for it any more, so that the next search has it. */
  #start(indexed: IndexedBase, load: (context: LoadContext) => Promise<void>, thread: IndexThread): Promise<void> {
    const { store, clock, model } = this.#options
    const checkOpen = (): void => {
      if (this.#isClosed || thread.isLost) throw new IndexThreadLostError()
    }
    indexed.users += 1
    const running = load({ store, thread, clock, model, checkOpen, yieldIfDue: this.#yieldIfDue })
      .then(
        () => void this.#crashes.delete(indexed.knowledgeBaseId),
        (error: unknown) => {
          if (error instanceof IndexThreadLostError && !this.#isClosed) this.#countLoss(indexed)
          throw error
        },
      )
      .finally(() => {
        this.#loads.delete(indexed)
        indexed.users -= 1
        this.#evict()
      })
    // Whoever waits for it is told; it may be that nobody does any more.
    running.catch(() => undefined)
    this.#loads.set(indexed, running)
    return running
  }

  #countLoss({ knowledgeBaseId }: IndexedBase): void {
    const count = (this.#crashes.get(knowledgeBaseId)?.count ?? 0) + 1
    const untilMs = this.#options.clock.now() + (count < MAX_CRASHES ? 0 : CRASH_PAUSE_MS)
    this.#crashes.set(knowledgeBaseId, { count, untilMs })
  }

  #checkCrashes(knowledgeBaseId: string): void {
    const untilMs = this.#crashes.get(knowledgeBaseId)?.untilMs ?? 0
    if (this.#options.clock.now() >= untilMs) return
    throw new RetrievalError('A knowledge base could not be prepared for searching. It is tried again in a minute.')
  }

  /** Drops those used longest ago until the rest fits. */
  #evict(): void {
    let excessBytes = this.sizeBytes - this.#options.cacheBytes
    const newest = [...this.#bases.keys()].at(-1)
    for (const [id, indexed] of this.#bases) {
      if (excessBytes <= 0) return
      if (indexed.users > 0 || id === newest) continue
      excessBytes -= indexed.sizeBytes
      this.#drop(id)
    }
  }

  #drop(id: string): void {
    this.#bases.delete(id)
    this.#thread?.drop(id).catch(() => undefined)
  }
}

/** Why a search has no result: the message is for the builder of the agent. */
export class RetrievalError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RetrievalError'
  }
}
