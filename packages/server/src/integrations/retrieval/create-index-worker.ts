import type { Clock } from '@parley/engine/ports'
import { type IndexThread, IndexThreadLostError, type IndexWorker } from '../../features/knowledge/public.ts'
import { IndexThreadClient } from './index-thread-client.ts'

export interface IndexWorkerOptions {
  readonly clock: Clock
  /** A thread that owes an answer for longer hangs and is ended. */
  readonly answerTimeoutMs?: number
  /** Of the thread's heap. */
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

/** Holds the indexes of knowledge bases in a thread, which starts when it is first needed and again after it has died. */
export function createIndexWorker({
  clock,
  answerTimeoutMs = ANSWER_MS,
  heapMegabytes = HEAP_MEGABYTES,
}: IndexWorkerOptions): IndexWorker {
  /** All that have not exited. */
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
    thread() {
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
