import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSecretKey } from './secret-key.ts'

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-key-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('loadSecretKey', () => {
  test('generates a key once, readable by its owner only, and leaves nothing else', async () => {
    await using folder = await temporaryFolder()
    const load = () => loadSecretKey({ secretKey: undefined, dataDirectory: folder.path })
    const key = await load()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(await load()).toBe(key)
    expect(await readdir(folder.path)).toEqual(['secret.key'])
    expect((await stat(join(folder.path, 'secret.key'))).mode & 0o777).toBe(0o600)
  })

  test('processes that start together agree on one key', async () => {
    await using folder = await temporaryFolder()
    const concurrentLoads = Array.from({ length: 8 }, () =>
      loadSecretKey({ secretKey: undefined, dataDirectory: folder.path }),
    )
    expect(new Set(await Promise.all(concurrentLoads)).size).toBe(1)
    expect(await readdir(folder.path)).toEqual(['secret.key'])
  })

  test('the setting wins and writes no file', async () => {
    await using folder = await temporaryFolder()
    const secretKey = 'a long enough key for this test!'
    expect(await loadSecretKey({ secretKey, dataDirectory: folder.path })).toBe(secretKey)
    expect(await readdir(folder.path)).toEqual([])
  })

  test('a short setting and an emptied file are refused with their name', async () => {
    await using folder = await temporaryFolder()
    const dataDirectory = folder.path
    await expect(loadSecretKey({ secretKey: 'short', dataDirectory })).rejects.toThrow(
      /SECRET_KEY must hold at least 32/,
    )
    await writeFile(join(dataDirectory, 'secret.key'), '')
    await expect(loadSecretKey({ secretKey: undefined, dataDirectory })).rejects.toThrow(/secret\.key must hold/)
  })
})
