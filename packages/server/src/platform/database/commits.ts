import type { Tables } from '../../tables/tables.ts'
import { ChangeCounts, type Changes } from './table-changes.ts'

/** What this process has committed: counted per table, and told to who listens. */
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
