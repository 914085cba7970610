import type { Tables } from '../../tables/tables.ts'
import type { Database } from './database.ts'

/** Caches values derived from tables until one of the tables changes. */
export interface ReadCache<Value> {
  /**
   * Returns the value of `key`, computing it if it is missing or outdated. `compute` must depend only on the cache's tables and
   * the key.
   */
  read(key: string, compute: () => Promise<Value>): Promise<Value>
}

export interface ReadCacheOptions<Value> {
  readonly database: Pick<Database, 'getChangeCount'> & {
    readonly capabilities: Pick<Database['capabilities'], 'seesAllWrites'>
  }
  readonly tables: readonly (keyof Tables)[]
  /** Maximum characters of all keys and values. Least recently used entries are removed first. */
  readonly maxCharacters: number
  readonly countCharacters: (value: Value) => number
}

interface Entry<Value> {
  readonly value: Value
  readonly changeCount: number
  readonly characters: number
}

/** Creates a read cache. The cache stores nothing if other processes can write to the database. */
export function createReadCache<Value>(options: ReadCacheOptions<Value>): ReadCache<Value> {
  const { database, tables, maxCharacters, countCharacters } = options
  if (!database.capabilities.seesAllWrites) return { read: (_key, compute) => compute() }
  const entries = new Map<string, Entry<Value>>()
  let characters = 0

  function removeEntry(key: string, entry: Entry<Value>): void {
    entries.delete(key)
    characters -= entry.characters
  }

  function storeEntry(key: string, entry: Entry<Value>): void {
    const previous = entries.get(key)
    if (previous !== undefined) {
      // A slower read of an older state must not replace a newer value.
      if (previous.changeCount > entry.changeCount) return
      removeEntry(key, previous)
    }
    if (entry.characters > maxCharacters) return
    entries.set(key, entry)
    characters += entry.characters
    for (const [oldestKey, oldestEntry] of entries) {
      if (characters <= maxCharacters) break
      removeEntry(oldestKey, oldestEntry)
    }
  }

  return {
    async read(key, compute) {
      // Read before computing, so that a commit during the read invalidates the entry.
      const changeCount = database.getChangeCount(tables)
      const cachedEntry = entries.get(key)
      if (cachedEntry?.changeCount === changeCount) {
        // Moves the entry to the end, because a Map keeps insertion order.
        entries.delete(key)
        entries.set(key, cachedEntry)
        return cachedEntry.value
      }
      const value = await compute()
      storeEntry(key, { value, changeCount, characters: key.length + countCharacters(value) })
      return value
    },
  }
}
