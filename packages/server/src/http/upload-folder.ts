import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'

/** Private folder for the files of one request, created on first use. */
export interface UploadSpace extends AsyncDisposable {
  /** Path for a new file. */
  nextPath(): Promise<string>
  /** Removes the files; idempotent. Never rejects. */
  remove(): Promise<void>
}

export interface UploadFolder {
  /** Throws when the owner, or all owners together, have too many uploads running. */
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

/** Stores uploads under `path`. The first request of the next day removes files of a dead process. */
export function createUploadFolder({ path, logError }: UploadFolderOptions): UploadFolder {
  const openByOwner = new Map<string, number>()
  let openCount = 0
  let areLeftoversRemoved = false

  function enter(owner: string): void {
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

  function leave(owner: string): void {
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
      enter(owner)
      let folder: string | null = null
      let count = 0
      let isOpen = true
      async function remove(): Promise<void> {
        if (!isOpen) return
        isOpen = false
        leave(owner)
        if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(logError)
      }
      return {
        remove,
        [Symbol.asyncDispose]: remove,
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
    throw cannotStore(error)
  }
}

/** No request takes a day. Compares file system times only. */
async function removeLeftovers(path: string, newest: string): Promise<void> {
  const { mtimeMs: now } = await lstat(newest)
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const folder = join(path, name)
    const found = await lstat(folder).catch(() => null)
    if (found === null || now - found.mtimeMs < LEFTOVER_AGE_MS) continue
    // In a shared temporary folder it may belong to another user.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A full or missing disk is an internal error and does not reveal the path. */
export function cannotStore(cause: unknown): AppError {
  return new AppError('unavailable', 'Files cannot be stored at the moment; try again later.', { cause })
}
