import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../../tables/tables.ts'
import { createReadCache } from './read-cache.ts'

/** Creates a database that only counts changes. */
function createCountingDatabase(seesAllWrites = true) {
  let count = 0
  const requestedTables: (readonly (keyof Tables)[])[] = []
  return {
    write: () => {
      count += 1
    },
    asked: requestedTables,
    capabilities: { seesAllWrites },
    getChangeCount: (tables: readonly (keyof Tables)[]) => {
      requestedTables.push(tables)
      return count
    },
  }
}

function openCache(maxCharacters = 1_000, seesAllWrites = true) {
  const database = createCountingDatabase(seesAllWrites)
  const cache = createReadCache<string>({
    database,
    tables: ['resources'],
    maxCharacters,
    countCharacters: (text) => text.length,
  })
  const computed: string[] = []
  const read = (key: string, text = key) =>
    cache.read(key, async () => {
      computed.push(key)
      return text
    })
  return { database, cache, computed, read }
}

describe('read cache', () => {
  test('computes once until a table changes', async () => {
    const { database, computed, read } = openCache()
    expect(await read('a', 'one')).toBe('one')
    expect(await read('a', 'two')).toBe('one')
    database.write()
    expect(await read('a', 'three')).toBe('three')
    expect(computed).toEqual(['a', 'a'])
    expect(new Set(database.asked.flat())).toEqual(new Set(['resources']))
  })

  test('does not store a value read before a commit as the state after it', async () => {
    const { database, cache, read } = openCache()
    const slowRead = Promise.withResolvers<string>()
    const first = cache.read('a', () => slowRead.promise)
    database.write()
    slowRead.resolve('before')
    expect(await first).toBe('before')
    expect(await read('a', 'after')).toBe('after')
  })

  test('a slow read of an older state does not replace a newer one', async () => {
    const { database, cache, computed, read } = openCache()
    const slowRead = Promise.withResolvers<string>()
    const first = cache.read('a', () => slowRead.promise)
    database.write()
    await read('a', 'after')
    slowRead.resolve('before')
    await first
    expect(await read('a', 'again')).toBe('after')
    expect(computed).toEqual(['a'])
  })

  test('stores nothing if other processes can write', async () => {
    const { computed, read } = openCache(1_000, false)
    await read('a')
    await read('a')
    expect(computed).toEqual(['a', 'a'])
  })

  test('does not store failures', async () => {
    const { cache, read } = openCache()
    await expect(cache.read('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
    expect(await read('a', 'back')).toBe('back')
  })

  test('evicts the least recently used value', async () => {
    const { computed, read } = openCache(6)
    await read('a', '12')
    await read('b', '12')
    await read('a')
    await read('c', '12')
    await read('a')
    await read('b')
    expect(computed).toEqual(['a', 'b', 'c', 'b'])
  })

  test('does not store a value larger than the limit', async () => {
    const { computed, read } = openCache(6)
    await read('a', '12')
    await read('b', '123456')
    await read('a')
    expect(computed).toEqual(['a', 'b'])
  })

  test('always returns the current value for any order of reads and writes', async () => {
    const step = fc.oneof(fc.constant('write'), fc.constantFrom('k1', 'k2', 'k3'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (steps, maxCharacters) => {
          const { database, read } = openCache(maxCharacters)
          let state = 0
          for (const name of steps) {
            if (name === 'write') {
              state += 1
              database.write()
            } else expect(await read(name, `${name}=${state}`)).toBe(`${name}=${state}`)
          }
        },
      ),
    )
  })
})
