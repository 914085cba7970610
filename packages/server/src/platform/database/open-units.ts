import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseConnection, Driver } from 'kysely'
import type { Tables } from '../../tables/tables.ts'
import { ChangeCounts, type Changes } from './table-changes.ts'

/** A unit of work as seen by the driver of the write handle. */
export interface Unit extends DatabaseConnection {
  readonly isOpen: boolean
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Tracks the unit of work of the running code. The write handle belongs to this unit. */
export class OpenUnits<Kind extends Unit> {
  readonly #units = new AsyncLocalStorage<Kind>()

  run<Result>(unit: Kind, work: () => Promise<Result>): Promise<Result> {
    return this.#units.run(unit, work)
  }

  /** Throws inside an open unit, where another handle could deadlock or bypass the transaction. */
  assertOutside(methodName: string): void {
    if (this.#units.getStore()?.isOpen !== true) return
    throw new Error(
      `${methodName} of the database was used inside an open transaction: use the transaction passed to the work.`,
    )
  }

  /** Creates the driver of the write handle, which uses the current unit for each transaction. */
  createDriver(): Driver {
    const getCurrentUnit = (): Kind => {
      const unit = this.#units.getStore()
      if (unit === undefined) throw new Error('The write handle was used outside of a unit of work.')
      return unit
    }
    return {
      init: () => Promise.resolve(),
      acquireConnection: async () => getCurrentUnit(),
      beginTransaction: () => getCurrentUnit().begin(),
      commitTransaction: () => getCurrentUnit().commit(),
      rollbackTransaction: () => getCurrentUnit().rollback(),
      releaseConnection: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
    }
  }
}

/** Counts this process's commits per table and reports them to listeners. */
export class CommitTracker {
  readonly #counts = new ChangeCounts()
  readonly #listeners = new Map<string, Set<() => void>>()

  /**
   * Counts the changes of a commit. Must be called before the caller receives the result, even after a failure, because a
   * broken connection may have committed.
   */
  count(changes: Changes): void {
    this.#counts.add(changes)
  }

  /** Notifies listeners of a successful commit. */
  announce({ insertedTables }: Changes): void {
    if (this.#listeners.size === 0) return
    for (const table of insertedTables) {
      for (const listener of this.#listeners.get(table) ?? []) listener()
    }
  }

  getChangeCount(tables: readonly (keyof Tables)[]): number {
    return this.#counts.sum(tables)
  }

  onInsert(table: keyof Tables, listener: () => void): () => void {
    const listeners = this.#listeners.get(table) ?? new Set()
    this.#listeners.set(table, listeners.add(listener))
    return () => listeners.delete(listener)
  }
}
