import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'

/** A private folder for the files of one request, created on first use. */
export interface UploadSpace extends AsyncDisposable {
  /** Returns the path for a new file. */
  nextPath(): Promise<string>
  /** Removes the files. Can be called repeatedly and never rejects. */
  remove(): Promise<void>
}

export interface UploadFolder {
  /** Opens a space for one request. Throws if the owner, or all owners together, have too many running uploads. */
  open(owner: string): UploadSpace
}

export interface UploadFolderOptions {
  /** Parent folder of all uploads, created on first use. */
  readonly path: string
  readonly logError: (error: unknown) => void
}

const PREFIX = 'parley-upload-'
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000
const MAX_OPEN = 64
const MAX_OPEN_PER_OWNER = 8
const RETRY_AFTER_MS = 2000

/** Creates an upload folder under `path`. The first request of the next day removes the files of crashed processes. */
export function createUploadFolder({ path, logError }: UploadFolderOptions): UploadFolder {
  const openByOwner = new Map<string, number>()
  let openCount = 0
  let areLeftoversRemoved = false

  function countUpload(owner: string): void {
    const ownerCount = openByOwner.get(owner) ?? 0
    if (ownerCount >= MAX_OPEN_PER_OWNER) {
      const sentence = `At most ${MAX_OPEN_PER_OWNER} uploads at once; wait for one to end.`
      throw new AppError('rate_limited', sentence, { retryAfterMs: RETRY_AFTER_MS })
    }
    if (openCount >= MAX_OPEN) {
      throw new AppError('unavailable', 'Too many uploads are under way; try again shortly.', {
        retryAfterMs: RETRY_AFTER_MS,
      })
    }
    openByOwner.set(owner, ownerCount + 1)
    openCount += 1
  }

  function releaseUpload(owner: string): void {
    const others = (openByOwner.get(owner) ?? 1) - 1
    if (others === 0) openByOwner.delete(owner)
    else openByOwner.set(owner, others)
    openCount -= 1
  }

  async function makeFolder(): Promise<string> {
    const folder = await makePrivateFolder(path)
    if (!areLeftoversRemoved) {
      areLeftoversRemoved = true
      await removeLeftovers(path, folder).catch(logError)
    }
    return folder
  }

  return {
    open(owner) {
      countUpload(owner)
      let folder: string | null = null
      let count = 0
      let isOpen = true
      async function removeUploadSpace(): Promise<void> {
        if (!isOpen) return
        isOpen = false
        releaseUpload(owner)
        if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(logError)
      }
      return {
        remove: removeUploadSpace,
        [Symbol.asyncDispose]: removeUploadSpace,
        async nextPath() {
          folder ??= await makeFolder()
          count += 1
          return join(folder, String(count))
        },
      }
    },
  }
}

async function makePrivateFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return await mkdtemp(join(path, PREFIX))
  } catch (error) {
    throw createStorageError(error)
  }
}

/** Removes old upload folders. No request takes a day, and only file system times are compared. */
async function removeLeftovers(path: string, newest: string): Promise<void> {
  const { mtimeMs: now } = await lstat(newest)
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const folder = join(path, name)
    const found = await lstat(folder).catch(() => null)
    if (found === null || now - found.mtimeMs < LEFTOVER_AGE_MS) continue
    // In a shared temporary folder, the folder can belong to another user.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Builds an internal error for a full or missing disk. The message does not reveal the path. */
export function createStorageError(cause: unknown): AppError {
  return new AppError('unavailable', 'Files cannot be stored at the moment; try again later.', { cause })
}
