import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../kernel/errors.ts'
import type { BlobEntry, BlobRange, BlobStore } from '../../kernel/storage/blobs.ts'

export interface BlobFolderOptions {
  /** Path of the folder, which is created when the first blob is stored. All nodes must share the folder. */
  readonly path: string
  /** Returns unique text made of letters, digits and `-`. */
  readonly makeUniqueSuffix: () => string
}

const SEGMENT = '[A-Za-z0-9_][A-Za-z0-9._-]{0,199}'
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT}){0,9}$`)
const PREFIX = new RegExp(`^(?:${SEGMENT}/){1,9}$`)
/** Prefix of unfinished files. No part of a key starts with this prefix. */
const DRAFT_PREFIX = '.draft-'
const CHUNK_BYTES = 64 * 1024

/** Creates a store that keeps blobs as files in a folder, named by their keys. */
export function createBlobFolder({ path, makeUniqueSuffix }: BlobFolderOptions): BlobStore {
  const resolveFile = (key: string): string => {
    if (!KEY.test(key)) throw new Error('The key of the blob is not valid.')
    return join(path, ...key.split('/'))
  }
  const resolveFolder = (prefix: string): string => {
    if (!PREFIX.test(prefix)) throw new Error('The prefix of the blobs is not valid.')
    return join(path, ...prefix.slice(0, -1).split('/'))
  }

  return {
    async put(key, bytes) {
      const file = resolveFile(key)
      await hideDiskErrors(async () => {
        const folder = dirname(file)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeAtomically(file, join(folder, `${DRAFT_PREFIX}${makeUniqueSuffix()}`), bytes)
      })
    },

    read: (key, range) => readFile(resolveFile(key), range),

    async list(prefix) {
      const folder = resolveFolder(prefix)
      return await hideDiskErrors(() => listFolder(folder, prefix))
    },

    async remove(prefix) {
      const folder = resolveFolder(prefix)
      // A concurrent write can prevent the first removal of its folder.
      await hideDiskErrors(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    },

    async removeDrafts(prefix) {
      const folder = resolveFolder(prefix)
      await hideDiskErrors(async () => {
        const names = (await resolveNullIfMissing(readdir(folder, { recursive: true }))) ?? []
        const drafts = names.filter((name) => basename(name).startsWith(DRAFT_PREFIX))
        await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })))
      })
    },
  }
}

/** Writes and flushes a temporary file before renaming it, so that a crash leaves a complete file or none. */
async function writeAtomically(file: string, draftFile: string, bytes: Uint8Array): Promise<void> {
  try {
    const handle = await open(draftFile, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(draftFile, file)
  } catch (error) {
    await rm(draftFile, { force: true }).catch(() => undefined)
    throw error
  }
}

async function* readFile(file: string, range: BlobRange | undefined): AsyncGenerator<Uint8Array> {
  const handle = await hideDiskErrors(() => resolveNullIfMissing(open(file, 'r')))
  if (handle === null) return
  try {
    let position = range?.start ?? 0
    let remainingBytes = range?.length ?? Number.POSITIVE_INFINITY
    while (remainingBytes > 0) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, remainingBytes))
      const readPosition = position
      const { bytesRead } = await hideDiskErrors(() => handle.read(buffer, 0, buffer.length, readPosition))
      if (bytesRead === 0) return
      position += bytesRead
      remainingBytes -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function listFolder(folder: string, prefix: string): Promise<BlobEntry[]> {
  const directoryEntries = (await resolveNullIfMissing(readdir(folder, { withFileTypes: true }))) ?? []
  const entries: BlobEntry[] = []
  for (const item of directoryEntries) {
    if (item.name.startsWith('.')) continue
    const key = `${prefix}${item.name}`
    if (item.isDirectory()) entries.push(...(await listFolder(join(folder, item.name), `${key}/`)))
    // Null means that the file was removed after the folder was read.
    const sizeBytes = item.isFile() ? ((await resolveNullIfMissing(stat(join(folder, item.name))))?.size ?? null) : null
    if (sizeBytes !== null) entries.push({ key, sizeBytes })
  }
  return entries.sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Returns the result, or null if the file or folder is missing. */
async function resolveNullIfMissing<Result>(promise: Promise<Result>): Promise<Result | null> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Runs storage work and hides the disk's location from the caller if the work fails. */
async function hideDiskErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new AppError('unavailable', 'Recordings cannot be stored or read at the moment; try again later.', { cause })
  }
}
