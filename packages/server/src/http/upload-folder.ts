import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'

/** Where the files of one request wait for its handler: a folder of its own that nobody else can read, made for the first. */
export interface UploadSpace extends AsyncDisposable {
  /** Path of a file that does not exist yet. */
  nextPath(): Promise<string>
  /** Removes the files; nothing is left to do the second time. Never rejects. */
  remove(): Promise<void>
}

export interface UploadFolder {
  /** Refuses an owner who has too many requests with files under way, and everybody when all together have. */
  open(owner: string): UploadSpace
}

export interface UploadFolderOptions {
  /** The folder that holds those of the requests; made when it is first needed. */
  readonly path: string
  readonly logError: (error: unknown) => void
}

const PREFIX = 'parley-upload-'
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000
const MAX_OPEN = 64
const MAX_OPEN_PER_OWNER = 8
const RETRY_AFTER_MS = 2000

/** Keeps files of requests under `path`. What a killed process left there is removed by the first request a day later. */
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

/** No request takes a day. Ages are told by the time of the file system, which is that of the newest folder. */
async function removeLeftovers(path: string, newest: string): Promise<void> {
  const { mtimeMs: now } = await lstat(newest)
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const folder = join(path, name)
    const found = await lstat(folder).catch(() => null)
    if (found === null || now - found.mtimeMs < LEFTOVER_AGE_MS) continue
    // In the system's folder it may be somebody else's.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A full or missing disk: not the fault of the caller, and no reason to tell where it is. */
export function cannotStore(cause: unknown): AppError {
  return new AppError('unavailable', 'Files cannot be stored at the moment; try again later.', { cause })
}
