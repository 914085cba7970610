import type { Database } from '../packages/server/src/kernel/storage/database.ts'

/** A database that can be changed before a write, so that earlier reads are outdated. */
export interface InterruptedDatabase {
  readonly database: Database
  /** Runs a function once before the next write through `database`. */
  beforeNextWrite(work: () => Promise<unknown>): void
  /** Number of started writes by kind. */
  readonly started: { readonly transactions: number; readonly batches: number }
}

export function createInterruptedDatabase(inner: Database): InterruptedDatabase {
  let waiting: (() => Promise<unknown>) | null = null
  const started = { transactions: 0, batches: 0 }
  async function interrupt(): Promise<void> {
    const work = waiting
    waiting = null
    await work?.()
  }
  return {
    started,
    beforeNextWrite(work) {
      waiting = work
    },
    database: {
      capabilities: inner.capabilities,
      read: inner.read,
      compile: inner.compile,
      async transaction(...given) {
        started.transactions += 1
        await interrupt()
        return await inner.transaction(...given)
      },
      async batch(...given) {
        started.batches += 1
        await interrupt()
        await inner.batch(...given)
      },
      changeCount: (tables) => inner.changeCount(tables),
      close: () => inner.close(),
    },
  }
}
