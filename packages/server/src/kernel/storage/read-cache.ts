import type { Tables } from '../../tables/tables.ts'
import type { Database } from './database.ts'

/** Keeps what was read and derived from some tables until one of them changes. */
export interface ReadCache<Value> {
  /**
   * The value under the key, computed when it is not known or a table changed since. `compute` must read only the cache's
   * tables, and what it answers must depend on nothing but them and the key.
   */
  read(key: string, compute: () => Promise<Value>): Promise<Value>
}

export interface ReadCacheOptions<Value> {
  readonly database: Pick<Database, 'changeCount'> & {
    readonly capabilities: Pick<Database['capabilities'], 'seesAllWrites'>
  }
  readonly tables: readonly (keyof Tables)[]
  /** Bounds keys and values together; what was not used for longest goes first. */
  readonly maxCharacters: number
  readonly countCharacters: (value: Value) => number
}

interface Entry<Value> {
  readonly value: Value
  readonly changeCount: number
  readonly characters: number
}

/** Where other processes write too, nothing is kept: every read computes. */
export function createReadCache<Value>(options: ReadCacheOptions<Value>): ReadCache<Value> {
  const { database, tables, maxCharacters, countCharacters } = options
  if (!database.capabilities.seesAllWrites) return { read: (_key, compute) => compute() }
  const entries = new Map<string, Entry<Value>>()
  let characters = 0

  function remove(key: string, entry: Entry<Value>): void {
    entries.delete(key)
    characters -= entry.characters
  }

  function keep(key: string, entry: Entry<Value>): void {
    const previous = entries.get(key)
    if (previous !== undefined) {
      // A slower read of an older state must not take the place of a newer one.
      if (previous.changeCount > entry.changeCount) return
      remove(key, previous)
    }
    if (entry.characters > maxCharacters) return
    entries.set(key, entry)
    characters += entry.characters
    for (const [oldestKey, oldest] of entries) {
      if (characters <= maxCharacters) break
      remove(oldestKey, oldest)
    }
  }

  return {
    async read(key, compute) {
      // Before the read: what a commit changes meanwhile is kept under a count that has passed.
      const changeCount = database.changeCount(tables)
      const known = entries.get(key)
      if (known?.changeCount === changeCount) {
        // Re-inserted, it is the newest: a Map keeps the order of insertion.
        entries.delete(key)
        entries.set(key, known)
        return known.value
      }
      const value = await compute()
      keep(key, { value, changeCount, characters: key.length + countCharacters(value) })
      return value
    },
  }
}
