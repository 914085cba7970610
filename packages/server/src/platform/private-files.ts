import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of an installation in its data folder. Other files in the folder stay unchanged. */
const INSTALLATION_FILE = /^(?:parley\.(?:db|lock)(?:-\w+)?|secret\.key(?:\.\w+)?)$/
const INSTALLATION_FOLDERS: ReadonlySet<string> = new Set(['recordings', 'uploads', 'backups'])
const OTHER_USERS_MODE = 0o077

/**
 * Makes a data folder readable only by its owner: sets the folder to 0700 and its files to 0600, including files of earlier
 * versions. Skips a missing folder and subfolders that other users could not enter. Returns the paths that could not be
 * changed.
 */
export async function restrictDataPermissions(folder: string, recordingsFolder: string): Promise<readonly string[]> {
  const failedPaths: string[] = []
  const wasExposed = await restrictPath(folder, failedPaths)
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    if (INSTALLATION_FILE.test(name)) await restrictPath(path, failedPaths)
    else if (INSTALLATION_FOLDERS.has(name)) await restrictTree(path, wasExposed, failedPaths)
  }
  // The recordings folder can be elsewhere, next to other files.
  await restrictPath(recordingsFolder, failedPaths)
  return failedPaths
}

async function restrictTree(path: string, wasExposed: boolean, failedPaths: string[]): Promise<void> {
  const wasAccessible = (await restrictPath(path, failedPaths)) || wasExposed
  if (!wasAccessible) return
  for (const name of await listNames(path)) await restrictTree(join(path, name), true, failedPaths)
}

/** Restricts a path to its owner and returns whether other users had access before. Ignores links. */
async function restrictPath(path: string, failedPaths: string[]): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null || !(stats.isFile() || stats.isDirectory()) || (stats.mode & OTHER_USERS_MODE) === 0) return false
  await chmod(path, stats.isDirectory() ? 0o700 : 0o600).catch(() => failedPaths.push(path))
  return true
}

/** Lists the names in a folder. Returns an empty list for anything else. */
async function listNames(path: string): Promise<readonly string[]> {
  return await readdir(path).catch(() => [])
}
