import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'

/** A private folder for the files of one request, created on first use. */
export interface UploadSpace extends AsyncDisposable {
  /** Returns the path for a new file. */
  createFilePath(): Promise<string>
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
const MAX_UPLOADS = 64
const MAX_UPLOADS_PER_OWNER = 8
const RETRY_AFTER_MS = 2000

/** Creates an upload folder under `path`. The first upload removes day-old files of crashed processes. */
export function createUploadFolder({ path, logError }: UploadFolderOptions): UploadFolder {
  const uploadCountByOwner = new Map<string, number>()
  let uploadCount = 0
  let hasRemovedLeftovers = false

  function countUpload(owner: string): void {
    const ownerCount = uploadCountByOwner.get(owner) ?? 0
    if (ownerCount >= MAX_UPLOADS_PER_OWNER) {
      const message = `At most ${MAX_UPLOADS_PER_OWNER} uploads can run at the same time; wait for one to finish.`
      throw new AppError('rate_limited', message, { retryAfterMs: RETRY_AFTER_MS })
    }
    if (uploadCount >= MAX_UPLOADS) {
      throw new AppError('unavailable', 'Too many uploads are in progress; try again shortly.', {
        retryAfterMs: RETRY_AFTER_MS,
      })
    }
    uploadCountByOwner.set(owner, ownerCount + 1)
    uploadCount += 1
  }

  function releaseUpload(owner: string): void {
    const remainingCount = (uploadCountByOwner.get(owner) ?? 1) - 1
    if (remainingCount === 0) uploadCountByOwner.delete(owner)
    else uploadCountByOwner.set(owner, remainingCount)
    uploadCount -= 1
  }

  async function makeFolder(): Promise<string> {
    const folder = await makePrivateFolder(path)
    if (!hasRemovedLeftovers) {
      hasRemovedLeftovers = true
      await removeLeftovers(path, folder).catch(logError)
    }
    return folder
  }

  return {
    open(owner) {
      countUpload(owner)
      let folder: string | null = null
      let fileCount = 0
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
        async createFilePath() {
          folder ??= await makeFolder()
          fileCount += 1
          return join(folder, String(fileCount))
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

/** Removes upload folders older than a day. Compares file system times only, which do not depend on this server's clock. */
async function removeLeftovers(path: string, newestFolder: string): Promise<void> {
  const { mtimeMs: now } = await lstat(newestFolder)
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const folder = join(path, name)
    const stats = await lstat(folder).catch(() => null)
    if (stats === null || now - stats.mtimeMs < LEFTOVER_AGE_MS) continue
    // In a shared temporary folder, the folder can belong to another user.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Builds an internal error for a full or missing disk. The message does not reveal the path. */
export function createStorageError(cause: unknown): AppError {
  return new AppError('unavailable', 'Files cannot be stored at the moment; try again later.', { cause })
}
