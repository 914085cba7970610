import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of what an installation keeps in its data folder. Nothing else in it is touched: the folder may hold other files. */
const OWN_FILE = /^(?:parley\.(?:db|lock)(?:-\w+)?|secret\.key(?:\.\w+)?)$/
const OWN_FOLDERS: ReadonlySet<string> = new Set(['recordings', 'uploads', 'backups'])
const OTHER_USERS_MODE = 0o077

/**
 * Makes a data folder readable by its owner only: the folder 0700, its files 0600, also those of earlier versions. Folders that
 * nobody else could enter are not searched. A missing folder is left alone. Returns the paths that could not be changed.
 */
export async function restrictDataPermissions(folder: string, recordingsFolder: string): Promise<readonly string[]> {
  const failed: string[] = []
  const wasExposed = await restrict(folder, failed)
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    if (OWN_FILE.test(name)) await restrict(path, failed)
    else if (OWN_FOLDERS.has(name)) await restrictTree(path, wasExposed, failed)
  }
  // It may lie elsewhere, beside files of others.
  await restrict(recordingsFolder, failed)
  return failed
}

async function restrictTree(path: string, wasExposed: boolean, failed: string[]): Promise<void> {
  const isOpen = (await restrict(path, failed)) || wasExposed
  if (!isOpen) return
  for (const name of await listNames(path)) await restrictTree(join(path, name), true, failed)
}

/** Returns whether others could reach it before. Links are left alone. */
async function restrict(path: string, failed: string[]): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null || !(stats.isFile() || stats.isDirectory()) || (stats.mode & OTHER_USERS_MODE) === 0) return false
  await chmod(path, stats.isDirectory() ? 0o700 : 0o600).catch(() => failed.push(path))
  return true
}

/** None for what is no folder. */
async function listNames(path: string): Promise<readonly string[]> {
  return await readdir(path).catch(() => [])
}
