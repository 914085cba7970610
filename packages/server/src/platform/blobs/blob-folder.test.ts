import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BlobRange, BlobStore } from '../../kernel/storage/blobs.ts'
import { createBlobFolder } from './blob-folder.ts'

async function openFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'parley-blobs-'))
  const path = join(parent, 'blobs')
  let count = 0
  const blobs = createBlobFolder({
    path,
    makeUniqueSuffix() {
      count += 1
      return String(count)
    },
  })
  return { parent, path, blobs, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) }
}

async function readAll(blobs: BlobStore, key: string, range?: BlobRange): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(blobs.read(key, range)))
}

test('reads, lists and removes stored blobs', async () => {
  await using folder = await openFolder()
  const { blobs } = folder
  expect(await blobs.list('a/')).toEqual([])
  await blobs.put('a/b/2.pcm', Buffer.from('two'))
  await blobs.put('a/b/10.pcm', Buffer.from('tenth'))
  await blobs.put('a/c/1.pcm', new Uint8Array(0))
  await blobs.put('a/b/2.pcm', Buffer.from('second'))
  expect((await readAll(blobs, 'a/b/2.pcm')).toString()).toBe('second')
  expect(await blobs.list('a/')).toEqual([
    { key: 'a/b/10.pcm', sizeBytes: 5 },
    { key: 'a/b/2.pcm', sizeBytes: 6 },
    { key: 'a/c/1.pcm', sizeBytes: 0 },
  ])
  await blobs.remove('a/b/')
  await blobs.remove('a/b/')
  expect(await blobs.list('a/')).toEqual([{ key: 'a/c/1.pcm', sizeBytes: 0 }])
  expect(await readAll(blobs, 'a/b/2.pcm')).toHaveLength(0)
})

test('removes only drafts of crashed processes', async () => {
  await using folder = await openFolder()
  const { blobs, path } = folder
  await blobs.put('a/b/1.pcm', Buffer.from('one'))
  await blobs.put('a/c/1.pcm', Buffer.from('other'))
  for (const place of ['a', 'a/b', 'a/c']) await writeFile(join(path, place, '.draft-9'), 'half')
  await blobs.removeDrafts('a/b/')
  await blobs.removeDrafts('a/nothing/')
  expect(await readdir(join(path, 'a/b'))).toEqual(['1.pcm'])
  expect((await readdir(join(path, 'a/c'))).sort()).toEqual(['.draft-9', '1.pcm'])
  await blobs.removeDrafts('a/')
  expect((await readdir(join(path, 'a'))).sort()).toEqual(['b', 'c'])
  expect(await blobs.list('a/')).toHaveLength(2)
})

test('reads any range of a blob', async () => {
  await using folder = await openFolder()
  const { blobs } = folder
  const bytes = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, index) => index % 251))
  await blobs.put('x/y', bytes)
  await fc.assert(
    fc.asyncProperty(fc.nat(220_000), fc.nat(220_000), async (start, length) => {
      const part = await readAll(blobs, 'x/y', { start, length })
      expect(part.equals(bytes.subarray(start, start + length))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('rejects keys that leave the folder', async () => {
  await using folder = await openFolder()
  const { blobs } = folder
  for (const key of [
    '',
    '..',
    '../x',
    'a/../b',
    '/etc/passwd',
    'a//b',
    'a/.hidden',
    'a\\b',
    'a/b\0',
    'ä',
    'a/',
    'CON:',
  ]) {
    await expect(blobs.put(key, Buffer.from('x'))).rejects.toThrow('is not valid')
    await expect(readAll(blobs, key)).rejects.toThrow('is not valid')
  }
  for (const prefix of ['', '/', 'a', '../', 'a/../', 'a//']) {
    await expect(blobs.list(prefix)).rejects.toThrow('is not valid')
    await expect(blobs.remove(prefix)).rejects.toThrow('is not valid')
  }
  expect(await readdir(folder.parent)).toEqual([])
})

test('reports disk errors without a path and leaves no partial file', async () => {
  await using folder = await openFolder()
  const { blobs } = folder
  await blobs.put('a/b', Buffer.from('x'))
  await writeFile(join(folder.path, 'file'), '')
  await expect(blobs.put('file/x', Buffer.from('x'))).rejects.toMatchObject({ code: 'unavailable' })
  await expect(blobs.put('file/x', Buffer.from('x'))).rejects.not.toThrow(folder.path)
  // A folder stands where the file should: renaming fails.
  await blobs.put('a/d/e', Buffer.from('x'))
  await expect(blobs.put('a/d', Buffer.from('x'))).rejects.toMatchObject({ code: 'unavailable' })
  expect((await readdir(join(folder.path, 'a'))).sort()).toEqual(['b', 'd'])
  await chmod(folder.path, 0o700)
})
