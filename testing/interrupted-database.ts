import type { Database } from '../packages/server/src/kernel/storage/database.ts'

/** A database that can be changed before a write, so that earlier reads are outdated. */
export interface InterruptedDatabase {
  readonly database: Database
  /** Runs a function once before the next write through `database`. */
  beforeNextWrite(work: () => Promise<unknown>): void
  /** Number of started writes by kind. */
  readonly started: { readonly transactions: number; readonly batches: number }
}

export function createInterruptedDatabase(wrappedDatabase: Database): InterruptedDatabase {
  let pendingInterruption: (() => Promise<unknown>) | null = null
  const started = { transactions: 0, batches: 0 }
  async function interrupt(): Promise<void> {
    const work = pendingInterruption
    pendingInterruption = null
    await work?.()
  }
  return {
    started,
    beforeNextWrite(work) {
      pendingInterruption = work
    },
    database: {
      capabilities: wrappedDatabase.capabilities,
      read: wrappedDatabase.read,
      queryBuilder: wrappedDatabase.queryBuilder,
      async transaction(...parameters) {
        started.transactions += 1
        await interrupt()
        return await wrappedDatabase.transaction(...parameters)
      },
      async batch(...parameters) {
        started.batches += 1
        await interrupt()
        await wrappedDatabase.batch(...parameters)
      },
      getChangeCount: (tables) => wrappedDatabase.getChangeCount(tables),
      close: () => wrappedDatabase.close(),
    },
  }
}
