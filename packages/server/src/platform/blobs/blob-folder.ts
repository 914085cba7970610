import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../kernel/errors.ts'
import type { BlobEntry, BlobRange, BlobStore } from '../../kernel/storage/blobs.ts'

export interface BlobFolderOptions {
  /** Made when something is first stored. Several nodes have to share it. */
  readonly path: string
  /** Text of letters, digits and `-` that is different each time, on every node. */
  readonly makeUniqueSuffix: () => string
}

const WORD = '[A-Za-z0-9_][A-Za-z0-9._-]{0,199}'
const KEY = new RegExp(`^${WORD}(?:/${WORD}){0,9}$`)
const PREFIX = new RegExp(`^(?:${WORD}/){1,9}$`)
/** Of files that are being written: no word of a key begins like this. */
const DRAFT_MARK = '.draft-'
const CHUNK_BYTES = 64 * 1024

/** Keeps blobs as files in a folder, each under its key. */
export function createBlobFolder({ path, makeUniqueSuffix }: BlobFolderOptions): BlobStore {
  const fileOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error('A key of a blob is not as it must be.')
    return join(path, ...key.split('/'))
  }
  const folderOf = (prefix: string): string => {
    if (!PREFIX.test(prefix)) throw new Error('A prefix of blobs is not as it must be.')
    return join(path, ...prefix.slice(0, -1).split('/'))
  }

  return {
    async put(key, bytes) {
      const file = fileOf(key)
      await storing(async () => {
        const folder = dirname(file)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeAtomically(file, join(folder, `${DRAFT_MARK}${makeUniqueSuffix()}`), bytes)
      })
    },

    read: (key, range) => readFile(fileOf(key), range),

    async list(prefix) {
      const folder = folderOf(prefix)
      return await storing(() => listFolder(folder, prefix))
    },

    async remove(prefix) {
      const folder = folderOf(prefix)
      // A file that is being written meanwhile may keep its folder from being removed at the first attempt.
      await storing(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    },

    async removeDrafts(prefix) {
      const folder = folderOf(prefix)
      await storing(async () => {
        const names = (await present(readdir(folder, { recursive: true }))) ?? []
        const drafts = names.filter((name) => basename(name).startsWith(DRAFT_MARK))
        await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })))
      })
    },
  }
}

/** Flushed under another name before it takes its own: after a crash it is there whole or not at all. */
async function writeAtomically(file: string, draft: string, bytes: Uint8Array): Promise<void> {
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

async function* readFile(file: string, range: BlobRange | undefined): AsyncGenerator<Uint8Array> {
  const handle = await storing(() => present(open(file, 'r')))
  if (handle === null) return
  try {
    let position = range?.start ?? 0
    let left = range?.length ?? Number.POSITIVE_INFINITY
    while (left > 0) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left))
      const at = position
      const { bytesRead } = await storing(() => handle.read(buffer, 0, buffer.length, at))
      if (bytesRead === 0) return
      position += bytesRead
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function listFolder(folder: string, prefix: string): Promise<BlobEntry[]> {
  const found = (await present(readdir(folder, { withFileTypes: true }))) ?? []
  const entries: BlobEntry[] = []
  for (const item of found) {
    if (item.name.startsWith('.')) continue
    const key = `${prefix}${item.name}`
    if (item.isDirectory()) entries.push(...(await listFolder(join(folder, item.name), `${key}/`)))
    // `null`: removed since the folder was read.
    const sizeBytes = item.isFile() ? ((await present(stat(join(folder, item.name))))?.size ?? null) : null
    if (sizeBytes !== null) entries.push({ key, sizeBytes })
  }
  return entries.sort((one, other) => (one.key < other.key ? -1 : 1))
}

/** What is not there is no failure. */
async function present<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** A full or missing disk is not the fault of who asks, and no reason to tell where it is. */
async function storing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new AppError('unavailable', 'Recordings cannot be stored or read at the moment; try again later.', { cause })
  }
}
