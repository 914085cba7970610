import type { Worker } from 'node:worker_threads'
import type { Clock } from '@parley/engine/ports'
import type { IndexHit } from '@parley/retrieval/lexical/search'
import {
  type IndexChange,
  type IndexThread,
  IndexThreadLostError,
  type IndexWorker,
} from '../../features/knowledge/public.ts'
import { startThread } from '../worker-thread.ts'
import type { IndexRequest, IndexRequestMessage, IndexResponse, IndexResponseMessage } from './index-holder.ts'

export interface IndexWorkerOptions {
  readonly clock: Clock
  /** Time limit of a response, after which the thread is terminated. */
  readonly responseTimeoutMs?: number
  /** Heap limit of the thread. */
  readonly heapMegabytes?: number
}

const RESPONSE_TIMEOUT_MS = 20_000
const HEAP_MEGABYTES = 2048

const rejectAsLost = (): Promise<never> => Promise.reject(new IndexThreadLostError())

const LOST_THREAD: IndexThread = {
  isLost: true,
  add: rejectAsLost,
  build: rejectAsLost,
  addVectors: rejectAsLost,
  remove: rejectAsLost,
  drop: rejectAsLost,
  search: rejectAsLost,
}

/**
 * Creates a worker that holds the indexes of knowledge bases in a thread. The thread starts on demand and restarts after a crash.
 */
export function createIndexWorker({
  clock,
  responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  heapMegabytes = HEAP_MEGABYTES,
}: IndexWorkerOptions): IndexWorker {
  /** Threads that have not exited. */
  const threads = new Set<IndexThreadClient>()
  let currentThread: IndexThread | null = null
  let isClosed = false

  const start = (): IndexThread => {
    const thread = new IndexThreadClient({ clock, responseTimeoutMs, heapMegabytes })
    threads.add(thread)
    void thread.exited.then(() => threads.delete(thread))
    return thread
  }

  return {
    getThread() {
      if (isClosed) return LOST_THREAD
      if (currentThread === null || currentThread.isLost) currentThread = start()
      return currentThread
    },
    async close() {
      isClosed = true
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

interface IndexThreadOptions {
  readonly clock: Clock
  /** Time limit of a response, after which the thread is terminated. */
  readonly responseTimeoutMs: number
  /** Heap limit of the thread. Memory outside the heap is not limited. */
  readonly heapMegabytes: number
}

interface PendingRequest {
  resolve(response: IndexResponse): void
  reject(error: Error): void
  readonly cancelDeadline: () => void
}

/** Controls a worker thread that holds indexes. The thread does not keep the process alive. */
class IndexThreadClient implements IndexThread {
  readonly #options: IndexThreadOptions
  readonly #worker: Worker
  readonly #pendingRequests = new Map<number, PendingRequest>()
  #requestCount = 0
  #isLost = false
  #failure: Error | undefined
  /** Resolves when the thread has exited, regardless of the reason. */
  readonly exited: Promise<void>

  constructor(options: IndexThreadOptions) {
    this.#options = options
    this.#worker = startThread({
      file: new URL('./index-worker-thread.ts', import.meta.url),
      name: 'knowledge-index',
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },
    })
    this.#worker.on('message', (message: IndexResponseMessage) => this.#handleMessage(message))
    // The exit event follows.
    this.#worker.on('error', (error) => {
      this.#failure = error instanceof Error ? error : undefined
    })
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#markLost()
        resolve()
      })
    })
  }

  get isLost(): boolean {
    return this.#isLost
  }

  add(...[base, segments]: Parameters<IndexThread['add']>): Promise<IndexChange> {
    const transferredBuffers = new Set(segments.flatMap(({ parts }) => parts.map(({ buffer }) => buffer)))
    return this.#sendChange({ kind: 'add', base, segments }, [...transferredBuffers])
  }

  build(...[base, key, chunks]: Parameters<IndexThread['build']>): Promise<IndexChange> {
    return this.#sendChange({ kind: 'build', base, key, chunks })
  }

  addVectors(...[base, page]: Parameters<IndexThread['addVectors']>): Promise<IndexChange> {
    return this.#sendChange({ kind: 'vectors', base, page }, [page.values.buffer])
  }

  remove(...[base, keys]: Parameters<IndexThread['remove']>): Promise<IndexChange> {
    return this.#sendChange({ kind: 'remove', base, keys })
  }

  async drop(base: string): Promise<void> {
    await this.#sendChange({ kind: 'drop', base })
  }

  async search(...[bases, query]: Parameters<IndexThread['search']>): Promise<readonly IndexHit[]> {
    return (await this.#sendRequest({ kind: 'search', bases, query }, [])) as readonly IndexHit[]
  }

  /** Terminates the thread, regardless of its current work. */
  async terminate(): Promise<void> {
    this.#markLost()
    await this.#worker.terminate()
    await this.exited
  }

  async #sendChange(request: IndexRequest, transferList: readonly ArrayBuffer[] = []): Promise<IndexChange> {
    return (await this.#sendRequest(request, transferList)) as IndexChange
  }

  #sendRequest(request: IndexRequest, transferList: readonly ArrayBuffer[]): Promise<IndexResponse> {
    if (this.#isLost) return Promise.reject(this.#createLostError())
    this.#requestCount += 1
    const message: IndexRequestMessage = { number: this.#requestCount, request }
    return new Promise((resolve, reject) => {
      const { clock, responseTimeoutMs } = this.#options
      const cancelDeadline = clock.after(responseTimeoutMs, () => {
        this.#failure = new Error(`The index thread did not respond within ${responseTimeoutMs} ms.`)
        void this.terminate()
      })
      this.#pendingRequests.set(message.number, { resolve, reject, cancelDeadline })
      this.#worker.postMessage(message, transferList)
    })
  }

  #handleMessage(message: IndexResponseMessage): void {
    const pendingRequest = this.#pendingRequests.get(message.number)
    if (pendingRequest === undefined) return
    this.#pendingRequests.delete(message.number)
    pendingRequest.cancelDeadline()
    if ('response' in message) pendingRequest.resolve(message.response)
    else pendingRequest.reject(new Error(message.error))
  }

  #createLostError(): IndexThreadLostError {
    return new IndexThreadLostError(this.#failure)
  }

  #markLost(): void {
    this.#isLost = true
    const pendingRequests = [...this.#pendingRequests.values()]
    this.#pendingRequests.clear()
    for (const { cancelDeadline, reject } of pendingRequests) {
      cancelDeadline()
      reject(this.#createLostError())
    }
  }
}
