import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseConnection, Driver } from 'kysely'
import type { Tables } from '../../tables/tables.ts'
import { ChangeCounts, type Changes } from './table-changes.ts'

/** A unit of work as the driver of the writing handle sees it. */
export interface Unit extends DatabaseConnection {
  readonly isOpen: boolean
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Which unit of work the code runs in that asks: the writing handle belongs to it, all other handles do not. */
export class OpenUnits<Kind extends Unit> {
  readonly #units = new AsyncLocalStorage<Kind>()

  run<Result>(unit: Kind, work: () => Promise<Result>): Promise<Result> {
    return this.#units.run(unit, work)
  }

  /** Throws inside an open unit: what is used there would wait for it for ever, or would not belong to it. */
  assertOutside(what: string): void {
    if (this.#units.getStore()?.isOpen !== true) return
    throw new Error(
      `${what} of the database was used inside an open transaction: use the transaction handed to the work.`,
    )
  }

  /** For the writing handle: each transaction is the unit that it was opened in. */
  createDriver(): Driver {
    const current = (): Kind => {
      const unit = this.#units.getStore()
      if (unit === undefined) throw new Error('The writing handle was used outside of a unit of work.')
      return unit
    }
    return {
      init: () => Promise.resolve(),
      acquireConnection: async () => current(),
      beginTransaction: () => current().begin(),
      commitTransaction: () => current().commit(),
      rollbackTransaction: () => current().rollback(),
      releaseConnection: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
    }
  }
}

/** Commits of this process: counted per table and reported to listeners. */
export class Commits {
  readonly #counts = new ChangeCounts()
  readonly #listeners = new Map<string, Set<() => void>>()

  /** To be called before the writer learns of the end, also of a failed one: what broke off may have been committed. */
  count(changes: Changes): void {
    this.#counts.add(changes)
  }

  /** Tells of a commit that has succeeded. */
  announce({ inserted }: Changes): void {
    if (this.#listeners.size === 0) return
    for (const table of inserted) {
      for (const listener of this.#listeners.get(table) ?? []) listener()
    }
  }

  changeCount(tables: readonly (keyof Tables)[]): number {
    return this.#counts.sum(tables)
  }

  onInsert(table: keyof Tables, listener: () => void): () => void {
    const listeners = this.#listeners.get(table) ?? new Set()
    this.#listeners.set(table, listeners.add(listener))
    return () => listeners.delete(listener)
  }
}
