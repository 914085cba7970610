import type { Tables } from '../../tables/tables.ts'
import type { Database } from './database.ts'

/** Caches values derived from tables until one of the tables changes. */
export interface ReadCache<Value> {
  /**
   * Returns the value of `key`, computed when missing or outdated. `compute` must depend only on the cache's tables
   * and the key.
   */
  read(key: string, compute: () => Promise<Value>): Promise<Value>
}

export interface ReadCacheOptions<Value> {
  readonly database: Pick<Database, 'changeCount'> & {
    readonly capabilities: Pick<Database['capabilities'], 'seesAllWrites'>
  }
  readonly tables: readonly (keyof Tables)[]
  /** Limit for keys and values together; the least recently used go first. */
  readonly maxCharacters: number
  readonly countCharacters: (value: Value) => number
}

interface Entry<Value> {
  readonly value: Value
  readonly changeCount: number
  readonly characters: number
}

/** Stores nothing where other processes write too. */
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
      // A slower read of an older state must not replace a newer one.
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
      // Counted before the read, so that a commit during the read invalidates the entry.
      const changeCount = database.changeCount(tables)
      const known = entries.get(key)
      if (known?.changeCount === changeCount) {
        // Reinserted as the newest: a Map keeps insertion order.
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
