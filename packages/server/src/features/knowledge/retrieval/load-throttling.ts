import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'
import type { IndexThread } from './index-worker.ts'
import type { RetrievalStore } from './retrieval-store.ts'

/** What loading a knowledge base into the index works with, and how it leaves room for others. */
export interface LoadContext {
  readonly store: RetrievalStore
  readonly thread: IndexThread
  readonly clock: Clock
  /** Whose vectors are loaded; null for none. */
  readonly model: string | null
  /** Throws when loading is to end. */
  readonly checkOpen: () => void
  /** To be asked for between statements. */
  readonly yieldIfDue: YieldToEventLoop
}

/** Lets everything else on the thread have its turn when long work has gone on for a while. */
export type YieldToEventLoop = () => Promise<void>

/** What the main thread may do in a row. */
const MAX_BLOCKING_MS = 3

/**
 * For work whose waits are no pauses: answers of a quick thread, and of the embedded database, come without a turn of the event
 * loop. All who share it are counted together.
 */
export function createYielding(clock: Clock): YieldToEventLoop {
  let yieldedAtMs = clock.now()
  return async () => {
    if (clock.now() - yieldedAtMs < MAX_BLOCKING_MS) return
    // Not a timer of the clock: this is no wait, and nobody is to move the time for it.
    await scheduler.yield()
    yieldedAtMs = clock.now()
  }
}

/** Lets a few pieces of work run ahead of whoever makes them. */
export interface ConcurrencyLimit {
  /** Adds work that has begun; waits while as many as may are under way. Rejects with what an earlier one failed with. */
  add(work: Promise<unknown>): Promise<void>
  /** Waits for all that was added. */
  finish(): Promise<void>
}

/** Allows `most` pieces of work at the same time. */
export function limitConcurrency(limit: number): ConcurrencyLimit {
  const pending: Promise<unknown>[] = []
  return {
    async add(work) {
      // Its failure is told by whoever waits for it next, which may be later than it happens.
      work.catch(() => undefined)
      pending.push(work)
      if (pending.length >= limit) await pending.shift()
    },
    async finish() {
      await Promise.all(pending.splice(0))
    },
  }
}
