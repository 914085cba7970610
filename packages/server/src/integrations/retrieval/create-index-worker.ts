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
import type { IndexAnswer, IndexAnswerMessage, IndexRequest, IndexRequestMessage } from './index-holder.ts'

export interface IndexWorkerOptions {
  readonly clock: Clock
  /** Time limit of a response, after which the thread is terminated. */
  readonly answerTimeoutMs?: number
  /** Heap limit of the thread. */
  readonly heapMegabytes?: number
}

const ANSWER_MS = 20_000
const HEAP_MEGABYTES = 2048

const lost = (): Promise<never> => Promise.reject(new IndexThreadLostError())

const LOST_THREAD: IndexThread = {
  isLost: true,
  add: lost,
  build: lost,
  addVectors: lost,
  remove: lost,
  drop: lost,
  search: lost,
}

/**
 * Creates a worker that holds the indexes of knowledge bases in a thread, which starts on first use and again after a crash.
 */
export function createIndexWorker({
  clock,
  answerTimeoutMs = ANSWER_MS,
  heapMegabytes = HEAP_MEGABYTES,
}: IndexWorkerOptions): IndexWorker {
  /** Threads that have not exited. */
  const threads = new Set<IndexThreadClient>()
  let current: IndexThread | null = null
  let isClosed = false

  const start = (): IndexThread => {
    const thread = new IndexThreadClient({ clock, answerTimeoutMs, heapMegabytes })
    threads.add(thread)
    void thread.exited.then(() => threads.delete(thread))
    return thread
  }

  return {
    getThread() {
      if (isClosed) return LOST_THREAD
      if (current === null || current.isLost) current = start()
      return current
    },
    async close() {
      isClosed = true
      await Promise.all([...threads].map((thread) => thread.end()))
    },
  }
}

interface IndexThreadOptions {
  readonly clock: Clock
  /** Time limit of a response, after which the thread is terminated. */
  readonly answerTimeoutMs: number
  /** Heap limit of the thread, without memory outside the heap. */
  readonly heapMegabytes: number
}

interface PendingAnswer {
  resolve(answer: IndexAnswer): void
  reject(error: Error): void
  readonly cancelDeadline: () => void
}

/** The main thread's side of a thread that holds indexes. The thread does not keep the process alive. */
class IndexThreadClient implements IndexThread {
  readonly #options: IndexThreadOptions
  readonly #worker: Worker
  readonly #pendingAnswers = new Map<number, PendingAnswer>()
  #requests = 0
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
    this.#worker.on('message', (message: IndexAnswerMessage) => this.#settle(message))
    // The exit event follows.
    this.#worker.on('error', (error) => {
      this.#failure = error instanceof Error ? error : undefined
    })
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#lose()
        resolve()
      })
    })
  }

  get isLost(): boolean {
    return this.#isLost
  }

  add(...[base, segments]: Parameters<IndexThread['add']>): Promise<IndexChange> {
    const given = new Set(segments.flatMap(({ parts }) => parts.map(({ buffer }) => buffer)))
    return this.#change({ kind: 'add', base, segments }, [...given])
  }

  build(...[base, key, chunks]: Parameters<IndexThread['build']>): Promise<IndexChange> {
    return this.#change({ kind: 'build', base, key, chunks })
  }

  addVectors(...[base, page]: Parameters<IndexThread['addVectors']>): Promise<IndexChange> {
    return this.#change({ kind: 'vectors', base, page }, [page.numbers.buffer])
  }

  remove(...[base, keys]: Parameters<IndexThread['remove']>): Promise<IndexChange> {
    return this.#change({ kind: 'remove', base, keys })
  }

  async drop(base: string): Promise<void> {
    await this.#change({ kind: 'drop', base })
  }

  async search(...[bases, query]: Parameters<IndexThread['search']>): Promise<readonly IndexHit[]> {
    return (await this.#ask({ kind: 'search', bases, query }, [])) as readonly IndexHit[]
  }

  /** Terminates the thread, regardless of its current work. */
  async end(): Promise<void> {
    this.#lose()
    await this.#worker.terminate()
    await this.exited
  }

  async #change(request: IndexRequest, given: readonly ArrayBuffer[] = []): Promise<IndexChange> {
    return (await this.#ask(request, given)) as IndexChange
  }

  #ask(request: IndexRequest, given: readonly ArrayBuffer[]): Promise<IndexAnswer> {
    if (this.#isLost) return Promise.reject(this.#lostError())
    this.#requests += 1
    const message: IndexRequestMessage = { number: this.#requests, request }
    return new Promise((resolve, reject) => {
      const { clock, answerTimeoutMs } = this.#options
      const cancelDeadline = clock.after(answerTimeoutMs, () => {
        this.#failure = new Error(`The index thread did not answer within ${answerTimeoutMs} ms.`)
        void this.end()
      })
      this.#pendingAnswers.set(message.number, { resolve, reject, cancelDeadline })
      this.#worker.postMessage(message, given)
    })
  }

  #settle(message: IndexAnswerMessage): void {
    const pending = this.#pendingAnswers.get(message.number)
    if (pending === undefined) return
    this.#pendingAnswers.delete(message.number)
    pending.cancelDeadline()
    if ('answer' in message) pending.resolve(message.answer)
    else pending.reject(new Error(message.error))
  }

  #lostError(): IndexThreadLostError {
    return new IndexThreadLostError(this.#failure)
  }

  #lose(): void {
    this.#isLost = true
    const pendingAnswers = [...this.#pendingAnswers.values()]
    this.#pendingAnswers.clear()
    for (const { cancelDeadline, reject } of pendingAnswers) {
      cancelDeadline()
      reject(this.#lostError())
    }
  }
}
